import { Module } from '@nestjs/common';

import { IssueKeyService } from './issue-key.service.js';
import { ModelApiKeysController } from './model-api-keys.controller.js';
import { ModelApiKeysService } from './model-api-keys.service.js';

@Module({ controllers: [ModelApiKeysController], providers: [IssueKeyService, ModelApiKeysService] })
export class ModelApiKeysModule {}
