import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import {
  bulkRoutesRequestSchema,
  bulkUnregisterRequestSchema,
  type BulkOutcomesResponse,
  type BulkRegisterResponse,
  type BulkUnregisterResponse,
} from '@penstock/protocol';

import { parseBody } from '../../wire/parse-wire.js';
import type { AnnounceOptions } from '../propagation/index.js';
import { Announce } from './announce-options.decorator.js';
import { ChangeRoutesService } from './change-routes.service.js';
import { screenRoutes } from './screen-routes.js';

/** Which replicas serve an endpoint. The call answers 200 and says per item what became of it. */
@Controller('v2/endpoints/bulk/routes')
export class EndpointRoutesController {
  constructor(@Inject(ChangeRoutesService) private readonly service: ChangeRoutesService) {}

  @Post()
  @HttpCode(200)
  async replace(@Body() body: unknown, @Announce() options: AnnounceOptions): Promise<BulkOutcomesResponse> {
    const items = screenRoutes(bulkRoutesRequestSchema, body);
    return { endpoints: await this.service.replace(items, options) };
  }

  @Post('register')
  @HttpCode(200)
  async register(@Body() body: unknown, @Announce() options: AnnounceOptions): Promise<BulkRegisterResponse> {
    const items = screenRoutes(bulkRoutesRequestSchema, body);
    return { endpoints: await this.service.register(items, options) };
  }

  @Post('unregister')
  @HttpCode(200)
  async unregister(
    @Body() body: unknown,
    @Announce() options: AnnounceOptions,
  ): Promise<BulkUnregisterResponse> {
    const items = parseBody(bulkUnregisterRequestSchema, body).endpoints;
    return { endpoints: await this.service.unregister(items, options) };
  }
}
