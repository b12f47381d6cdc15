import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ZodBody, ZodParams, ZodQuery } from '@penstock/service-kit';
import type { FastifyReply } from 'fastify';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import { markDeprecated } from './access-fields.js';
import { CreateDeploymentService } from './create-deployment.service.js';
import {
  changedDeploymentSchema,
  type CreateDeployment,
  createDeploymentSchema,
  deploymentListSchema,
  type DeploymentQuery,
  deploymentQuerySchema,
  deploymentSchema,
  type PatchDeployment,
  patchDeploymentSchema,
  removedSchema,
} from './deployments.schemas.js';
import { DeploymentsService } from './deployments.service.js';

@ApiResource('deployments')
@Controller('api/v1/deployments')
export class DeploymentsController {
  constructor(
    @Inject(CreateDeploymentService) private readonly creation: CreateDeploymentService,
    @Inject(DeploymentsService) private readonly deployments: DeploymentsService,
  ) {}

  @Post()
  @ApiRoute({
    summary: 'Makes a deployment with its replica groups and replicas.',
    body: createDeploymentSchema,
    answer: changedDeploymentSchema,
    status: 201,
  })
  create(
    @Context() context: RequestContext,
    @Body(ZodBody(createDeploymentSchema)) input: CreateDeployment,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    markDeprecated(reply, input);
    return this.creation.create(context, input);
  }

  @Get()
  @ApiRoute({ query: deploymentQuerySchema, answer: deploymentListSchema })
  list(
    @Context() { principal }: RequestContext,
    @Query(ZodQuery(deploymentQuerySchema)) query: DeploymentQuery,
  ): Promise<object> {
    return this.deployments.list(principal, query);
  }

  @Get(':id')
  @ApiRoute({ params: ['id'], answer: deploymentSchema })
  get(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.deployments.get(principal, id);
  }

  @Patch(':id')
  @ApiRoute({ params: ['id'], body: patchDeploymentSchema, answer: changedDeploymentSchema })
  patch(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(patchDeploymentSchema)) input: PatchDeployment,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    markDeprecated(reply, input);
    return this.deployments.patch(context, id, input);
  }

  @Delete(':id')
  @ApiRoute({
    summary: 'Deletes a deployment; publications lose their mapping to it.',
    params: ['id'],
    answer: removedSchema,
  })
  remove(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.deployments.remove(context, id);
  }
}
