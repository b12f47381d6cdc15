import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';

import { AuthenticateGuard } from './authenticate.guard.js';
import { AuthenticateService } from './authenticate.service.js';

@Global()
@Module({ providers: [AuthenticateService, { provide: APP_GUARD, useClass: AuthenticateGuard }] })
export class AccessModule {}
