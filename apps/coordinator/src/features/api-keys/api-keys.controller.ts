import { Body, Controller, Delete, Get, Inject, Param, Put, Query } from '@nestjs/common';
import {
  authoritySchema,
  putKeyBodySchema,
  type DeleteResponse,
  type ListKeysResponse,
  type PutKeyResponse,
} from '@penstock/protocol';

import { parseBody, parseWire } from '../../wire/parse-wire.js';
import { Traceparent } from '../../wire/traceparent.decorator.js';
import { ChangeApiKeyService } from './change-api-key.service.js';
import { keyIdSchema, removalQuerySchema } from './key-request.js';

/** Model API keys of a router authority. */
@Controller('v2/routers/:authority/api-keys')
export class ApiKeysController {
  constructor(@Inject(ChangeApiKeyService) private readonly service: ChangeApiKeyService) {}

  @Get()
  list(@Param('authority') authority: string): Promise<ListKeysResponse> {
    return this.service.list(authorityName(authority));
  }

  @Put(':key_id')
  put(
    @Param('authority') authority: string,
    @Param('key_id') keyId: string,
    @Body() body: unknown,
    @Traceparent() traceparent: string | undefined,
  ): Promise<PutKeyResponse> {
    const content = parseBody(putKeyBodySchema, body);
    return this.service.put(authorityName(authority), keyName(keyId), content, traceparent);
  }

  @Delete(':key_id')
  remove(
    @Param('authority') authority: string,
    @Param('key_id') keyId: string,
    @Query() query: unknown,
    @Traceparent() traceparent: string | undefined,
  ): Promise<DeleteResponse> {
    const { strict } = parseWire(removalQuerySchema, query);
    return this.service.remove(authorityName(authority), keyName(keyId), {
      strict,
      traceparent,
    });
  }
}

function authorityName(authority: string): string {
  return parseWire(authoritySchema, authority, ['authority']);
}

function keyName(keyId: string): string {
  return parseWire(keyIdSchema, keyId, ['key_id']);
}
