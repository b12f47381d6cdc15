import { Body, Controller, Delete, HttpCode, Inject, Post, Put } from '@nestjs/common';
import {
  bulkCreateRequestSchema,
  bulkDeleteRequestSchema,
  endpointBodySchema,
  putHealthCheckBodySchema,
  type BulkCreateResponse,
  type BulkOutcomesResponse,
  type CreateEndpointResponse,
  type SuccessResponse,
} from '@penstock/protocol';

import { parseBody } from '../../wire/parse-wire.js';
import { Traceparent } from '../../wire/traceparent.decorator.js';
import { UuidParam } from '../../wire/uuid-param.decorator.js';
import type { AnnounceOptions } from '../propagation/index.js';
import { EndpointStore } from './adapters/endpoint.store.js';
import { Announce } from './announce-options.decorator.js';
import { CreateEndpointsService } from './create-endpoints.service.js';
import { RemoveEndpointsService } from './remove-endpoints.service.js';

/** Endpoints come and go. Every call may be repeated. */
@Controller('v2/endpoints')
export class EndpointsController {
  constructor(
    @Inject(CreateEndpointsService) private readonly creation: CreateEndpointsService,
    @Inject(RemoveEndpointsService) private readonly removal: RemoveEndpointsService,
    @Inject(EndpointStore) private readonly store: EndpointStore,
  ) {}

  @Post('bulk')
  @HttpCode(200)
  async createBulk(
    @Body() body: unknown,
    @Announce() { report, traceparent }: AnnounceOptions,
  ): Promise<BulkCreateResponse> {
    const items = parseBody(bulkCreateRequestSchema, body).endpoints;
    const placed = await this.creation.create(items, traceparent);
    const endpoints = placed.map(({ deploymentId, url, healthCheckEnabled, propagation }) => ({
      deployment_id: deploymentId,
      url,
      health_check_enabled: healthCheckEnabled,
      ...(report && { propagation }),
    }));
    return { endpoints };
  }

  @Delete('bulk')
  async removeBulk(
    @Body() body: unknown,
    @Announce() options: AnnounceOptions,
  ): Promise<BulkOutcomesResponse> {
    const ids = parseBody(bulkDeleteRequestSchema, body).endpoints.map(({ deployment_id }) => deployment_id);
    return { endpoints: await this.removal.removeAll(ids, options) };
  }

  @Post(':endpoint_id')
  @HttpCode(200)
  async create(
    @UuidParam('endpoint_id') id: string,
    @Body() body: unknown,
    @Traceparent() traceparent: string | undefined,
  ): Promise<CreateEndpointResponse> {
    const item = { deployment_id: id, ...parseBody(endpointBodySchema, body) };
    const [placed] = await this.creation.create([item], traceparent);
    return {
      success: true,
      endpoint: placed?.url ?? '',
      health_check_enabled: placed?.healthCheckEnabled ?? false,
    };
  }

  @Delete(':endpoint_id')
  async remove(
    @UuidParam('endpoint_id') id: string,
    @Traceparent() traceparent: string | undefined,
  ): Promise<SuccessResponse> {
    await this.removal.remove(id, { report: false, traceparent });
    return { success: true };
  }

  @Put(':endpoint_id/health-check')
  async setHealthCheck(
    @UuidParam('endpoint_id') id: string,
    @Body() body: unknown,
  ): Promise<SuccessResponse> {
    const { health_check } = parseBody(putHealthCheckBodySchema, body);
    await this.store.setHealthCheck(id, health_check);
    return { success: true };
  }
}
