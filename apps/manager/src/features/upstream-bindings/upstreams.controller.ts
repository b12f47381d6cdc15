import { Body, Controller, Delete, Get, Header, Inject, Param, Put } from '@nestjs/common';
import { ZodBody, ZodParams } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import { LineageService } from './lineage.service.js';
import { ServiceEnvironmentService } from './service-environment.service.js';
import {
  boundUpstreamSchema,
  lineageSchema,
  type PutUpstream,
  putUpstreamSchema,
  serviceEnvironmentSchema,
  unboundSchema,
  upstreamSchema,
} from './upstream.schemas.js';
import { UpstreamsService } from './upstreams.service.js';

@ApiResource('upstreams')
@Controller('api/v1/deployments/:id')
export class UpstreamsController {
  constructor(
    @Inject(UpstreamsService) private readonly upstreams: UpstreamsService,
    @Inject(LineageService) private readonly lineages: LineageService,
    @Inject(ServiceEnvironmentService) private readonly environments: ServiceEnvironmentService,
  ) {}

  @Get('upstream')
  @ApiRoute({
    summary: 'What the deployment calls, and how its token is doing.',
    params: ['id'],
    answer: upstreamSchema,
  })
  get(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.upstreams.get(principal, id);
  }

  @Put('upstream')
  @ApiRoute({
    summary: 'Binds the deployment to the one it calls, and mints the token for it.',
    params: ['id'],
    body: putUpstreamSchema,
    answer: boundUpstreamSchema,
  })
  put(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(putUpstreamSchema)) input: PutUpstream,
  ): Promise<object> {
    return this.upstreams.put(context, id, input);
  }

  @Delete('upstream')
  @ApiRoute({
    summary: 'Unbinds it. The last token stays good until it expires.',
    params: ['id'],
    answer: unboundSchema,
  })
  remove(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.upstreams.remove(context, id);
  }

  @Get('lineage')
  @ApiRoute({ summary: 'What it calls and what calls it.', params: ['id'], answer: lineageSchema })
  lineage(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.lineages.read(principal, id);
  }

  /** Holds a credential, so no cache may keep it. */
  @Get('service-environment')
  @Header('cache-control', 'no-store')
  @ApiRoute({
    summary: 'The variables its service runs with, token included. For the owner of the deployment only.',
    params: ['id'],
    answer: serviceEnvironmentSchema,
  })
  environment(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.environments.read(principal, id);
  }
}
