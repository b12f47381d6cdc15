import { Body, Controller, Delete, Get, Inject, Param, Patch, Post } from '@nestjs/common';
import { ZodBody, ZodParams } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import {
  type GroupInput,
  groupInputSchema,
  groupListSchema,
  type GroupParams,
  groupParamsSchema,
  groupSchema,
  type PatchGroup,
  patchGroupSchema,
} from './replica-groups.schemas.js';
import { ReplicaGroupsService } from './replica-groups.service.js';

@ApiResource('deployments')
@Controller('api/v1/deployments/:id/replica-groups')
export class ReplicaGroupsController {
  constructor(@Inject(ReplicaGroupsService) private readonly groups: ReplicaGroupsService) {}

  @Get()
  @ApiRoute({ params: ['id'], answer: groupListSchema })
  list(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.groups.list(principal, id);
  }

  @Post()
  @ApiRoute({ params: ['id'], body: groupInputSchema, answer: groupSchema, status: 201 })
  add(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(groupInputSchema)) input: GroupInput,
  ): Promise<object> {
    return this.groups.add(context, id, input);
  }

  @Patch(':groupId')
  @ApiRoute({ params: ['id', 'groupId'], body: patchGroupSchema, answer: groupSchema })
  patch(
    @Context() context: RequestContext,
    @Param(ZodParams(groupParamsSchema)) params: GroupParams,
    @Body(ZodBody(patchGroupSchema)) input: PatchGroup,
  ): Promise<object> {
    return this.groups.patch(context, params, input);
  }

  @Delete(':groupId')
  @ApiRoute({ summary: 'Deletes a group and its replicas.', params: ['id', 'groupId'] })
  remove(
    @Context() context: RequestContext,
    @Param(ZodParams(groupParamsSchema)) params: GroupParams,
  ): Promise<object> {
    return this.groups.remove(context, params);
  }
}
