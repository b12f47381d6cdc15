import { Global, Module } from '@nestjs/common';

import { ChangeService } from './change.service.js';

@Global()
@Module({ providers: [ChangeService], exports: [ChangeService] })
export class ChangeModule {}
