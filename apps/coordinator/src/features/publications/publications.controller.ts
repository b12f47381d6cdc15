import { Body, Controller, Delete, Get, Inject, Param, Put } from '@nestjs/common';
import {
  authoritySchema,
  modelNameSchema,
  putModelBodySchema,
  type DeleteResponse,
  type ListModelsResponse,
  type PutModelResponse,
} from '@penstock/protocol';

import { parseBody, parseWire } from '../../wire/parse-wire.js';
import { Traceparent } from '../../wire/traceparent.decorator.js';
import { ChangePublicationService } from './change-publication.service.js';

/** Model names of a router authority. Names are percent-encoded path segments and may contain a slash. */
@Controller('v2/routers/:authority/models')
export class PublicationsController {
  constructor(@Inject(ChangePublicationService) private readonly service: ChangePublicationService) {}

  @Get()
  list(@Param('authority') authority: string): Promise<ListModelsResponse> {
    return this.service.list(authorityName(authority));
  }

  @Put(':model')
  put(
    @Param('authority') authority: string,
    @Param('model') model: string,
    @Body() body: unknown,
    @Traceparent() traceparent: string | undefined,
  ): Promise<PutModelResponse> {
    const content = parseBody(putModelBodySchema, body);
    return this.service.put(authorityName(authority), modelName(model), content, traceparent);
  }

  @Delete(':model')
  remove(
    @Param('authority') authority: string,
    @Param('model') model: string,
    @Traceparent() traceparent: string | undefined,
  ): Promise<DeleteResponse> {
    return this.service.remove(authorityName(authority), modelName(model), traceparent);
  }
}

function authorityName(authority: string): string {
  return parseWire(authoritySchema, authority, ['authority']);
}

function modelName(model: string): string {
  return parseWire(modelNameSchema, model, ['model']);
}
