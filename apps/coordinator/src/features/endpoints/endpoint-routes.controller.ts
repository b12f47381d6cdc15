import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import {
  bulkRoutesRequestSchema,
  bulkUnregisterRequestSchema,
  type BulkOutcomesResponse,
  type BulkRegisterResponse,
  type BulkUnregisterResponse,
  type RoutesItem,
} from '@penstock/protocol';

import { parseBody } from '../../wire/parse-wire.js';
import { ChangeRoutesService } from './change-routes.service.js';
import { screenRoutes, type ScreenedItem } from './screen-routes.js';

/** Which replicas serve an endpoint. The call answers 200 and says per item what became of it. */
@Controller('v2/endpoints/bulk/routes')
export class EndpointRoutesController {
  constructor(@Inject(ChangeRoutesService) private readonly service: ChangeRoutesService) {}

  @Post()
  @HttpCode(200)
  async replace(@Body() body: unknown): Promise<BulkOutcomesResponse> {
    const endpoints = await each(screenRoutes(bulkRoutesRequestSchema, body), {
      accepted: (item) => this.service.replace(item),
      refused: (deployment_id, error) => ({ deployment_id, success: false, error }),
    });
    return { endpoints };
  }

  @Post('register')
  @HttpCode(200)
  async register(@Body() body: unknown): Promise<BulkRegisterResponse> {
    const endpoints = await each(screenRoutes(bulkRoutesRequestSchema, body), {
      accepted: (item) => this.service.register(item),
      refused: (deployment_id, error) => ({
        deployment_id,
        success: false,
        registered_route_ids: [],
        already_registered_route_ids: [],
        error,
      }),
    });
    return { endpoints };
  }

  @Post('unregister')
  @HttpCode(200)
  async unregister(@Body() body: unknown): Promise<BulkUnregisterResponse> {
    const endpoints = [];
    for (const item of parseBody(bulkUnregisterRequestSchema, body).endpoints) {
      endpoints.push(await this.service.unregister(item));
    }
    return { endpoints };
  }
}

interface ItemHandlers<O> {
  accepted(item: RoutesItem): Promise<O>;
  refused(deploymentId: string, error: string): O;
}

/** One after the other: the same endpoint may be named twice, and the last word counts. */
async function each<O>(items: readonly ScreenedItem[], handlers: ItemHandlers<O>): Promise<O[]> {
  const outcomes: O[] = [];
  for (const screened of items) {
    outcomes.push(
      screened.kind === 'accepted'
        ? await handlers.accepted(screened.item)
        : handlers.refused(screened.deploymentId, screened.error),
    );
  }
  return outcomes;
}
