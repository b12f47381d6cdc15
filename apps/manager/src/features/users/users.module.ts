import { Module } from '@nestjs/common';

import { ApiTokensController } from './api-tokens.controller.js';
import { ApiTokensService } from './api-tokens.service.js';
import { UsersController } from './users.controller.js';
import { UsersService } from './users.service.js';

@Module({
  controllers: [UsersController, ApiTokensController],
  providers: [UsersService, ApiTokensService],
})
export class UsersModule {}
