import { Body, Controller, Delete, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import {
  bulkCreateRequestSchema,
  bulkDeleteRequestSchema,
  endpointBodySchema,
  putHealthCheckBodySchema,
  uuidSchema,
  type BulkCreateResponse,
  type BulkOutcomesResponse,
  type CreateEndpointResponse,
  type SuccessResponse,
} from '@penstock/protocol';

import { parseBody, parseWire } from '../../wire/parse-wire.js';
import { EndpointStore } from './adapters/endpoint.store.js';
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
  async createBulk(@Body() body: unknown): Promise<BulkCreateResponse> {
    const placed = await this.creation.create(parseBody(bulkCreateRequestSchema, body).endpoints);
    const endpoints = placed.map(({ deploymentId, url, healthCheckEnabled }) => ({
      deployment_id: deploymentId,
      url,
      health_check_enabled: healthCheckEnabled,
    }));
    return { endpoints };
  }

  @Delete('bulk')
  async removeBulk(@Body() body: unknown): Promise<BulkOutcomesResponse> {
    const { endpoints } = parseBody(bulkDeleteRequestSchema, body);
    return { endpoints: await this.removal.removeAll(endpoints.map((endpoint) => endpoint.deployment_id)) };
  }

  @Post(':endpoint_id')
  @HttpCode(200)
  async create(@Param('endpoint_id') id: string, @Body() body: unknown): Promise<CreateEndpointResponse> {
    const item = { deployment_id: endpointId(id), ...parseBody(endpointBodySchema, body) };
    const [placed] = await this.creation.create([item]);
    return {
      success: true,
      endpoint: placed?.url ?? '',
      health_check_enabled: placed?.healthCheckEnabled ?? false,
    };
  }

  @Delete(':endpoint_id')
  async remove(@Param('endpoint_id') id: string): Promise<SuccessResponse> {
    await this.removal.remove(endpointId(id));
    return { success: true };
  }

  @Put(':endpoint_id/health-check')
  async setHealthCheck(@Param('endpoint_id') id: string, @Body() body: unknown): Promise<SuccessResponse> {
    const { health_check } = parseBody(putHealthCheckBodySchema, body);
    await this.store.setHealthCheck(endpointId(id), health_check);
    return { success: true };
  }
}

function endpointId(id: string): string {
  return parseWire(uuidSchema, id, ['endpoint_id']);
}
