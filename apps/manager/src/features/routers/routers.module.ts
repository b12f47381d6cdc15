import { Module } from '@nestjs/common';

import { ListRoutersService } from './list-routers.service.js';
import { RoutersController } from './routers.controller.js';

@Module({ controllers: [RoutersController], providers: [ListRoutersService] })
export class RoutersModule {}
