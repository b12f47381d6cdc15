import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Put } from '@nestjs/common';
import { ZodBody, ZodParams } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import {
  type AddReplica,
  addReplicaSchema,
  type PatchReplica,
  patchReplicaSchema,
  type ReplaceReplicas,
  replaceReplicasSchema,
  replicaListSchema,
  type ReplicaParams,
  replicaParamsSchema,
  replicaSchema,
} from './replicas.schemas.js';
import { ReplicasService } from './replicas.service.js';

@ApiResource('deployments')
@Controller('api/v1/deployments/:id/replicas')
export class ReplicasController {
  constructor(@Inject(ReplicasService) private readonly replicas: ReplicasService) {}

  @Get()
  @ApiRoute({ params: ['id'], answer: replicaListSchema })
  list(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.replicas.list(principal, id);
  }

  @Post()
  @ApiRoute({ params: ['id'], body: addReplicaSchema, answer: replicaSchema, status: 201 })
  add(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(addReplicaSchema)) input: AddReplica,
  ): Promise<object> {
    return this.replicas.add(context, id, input);
  }

  @Put()
  @ApiRoute({
    summary: 'Replaces all replicas; one that keeps its host and port keeps its id.',
    params: ['id'],
    body: replaceReplicasSchema,
    answer: replicaListSchema,
  })
  replace(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(replaceReplicasSchema)) input: ReplaceReplicas,
  ): Promise<object> {
    return this.replicas.replace(context, id, input);
  }

  @Patch(':replicaId')
  @ApiRoute({ params: ['id', 'replicaId'], body: patchReplicaSchema, answer: replicaSchema })
  patch(
    @Context() context: RequestContext,
    @Param(ZodParams(replicaParamsSchema)) params: ReplicaParams,
    @Body(ZodBody(patchReplicaSchema)) input: PatchReplica,
  ): Promise<object> {
    return this.replicas.patch(context, params, input);
  }

  @Delete(':replicaId')
  @ApiRoute({ params: ['id', 'replicaId'] })
  remove(
    @Context() context: RequestContext,
    @Param(ZodParams(replicaParamsSchema)) params: ReplicaParams,
  ): Promise<object> {
    return this.replicas.remove(context, params);
  }
}
