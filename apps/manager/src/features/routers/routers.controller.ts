import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ZodQuery } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { ListRoutersService } from './list-routers.service.js';
import { routerListSchema, type RouterQuery, routerQuerySchema } from './routers.schemas.js';

@ApiResource('routers')
@Controller('api/v1/routers')
export class RoutersController {
  constructor(@Inject(ListRoutersService) private readonly routers: ListRoutersService) {}

  @Get()
  @ApiRoute({
    summary: 'Router authorities, their live nodes and the revision each acknowledged.',
    query: routerQuerySchema,
    answer: routerListSchema,
  })
  list(
    @Context() { principal }: RequestContext,
    @Query(ZodQuery(routerQuerySchema)) query: RouterQuery,
  ): Promise<object> {
    return this.routers.list(principal, query);
  }
}
