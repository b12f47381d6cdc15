import { Module } from '@nestjs/common';

import { LineageController } from './lineage.controller.js';

@Module({ controllers: [LineageController] })
export class LineageModule {}
