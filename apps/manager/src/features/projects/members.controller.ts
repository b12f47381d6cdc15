import { Body, Controller, Delete, Get, Inject, Param, Put, Query } from '@nestjs/common';
import { ZodBody, ZodParams, ZodQuery } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import { MembersService } from './members.service.js';
import {
  memberListSchema,
  type MemberParams,
  memberParamsSchema,
  type MemberQuery,
  memberQuerySchema,
  memberSchema,
  type PutMember,
  putMemberSchema,
} from './projects.schemas.js';

@ApiResource('projects')
@Controller('api/v1/projects/:id/members')
export class MembersController {
  constructor(@Inject(MembersService) private readonly members: MembersService) {}

  @Get()
  @ApiRoute({ params: ['id'], query: memberQuerySchema, answer: memberListSchema })
  list(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Query(ZodQuery(memberQuerySchema)) query: MemberQuery,
  ): Promise<object> {
    return this.members.list(principal, id, query);
  }

  @Put(':userId')
  @ApiRoute({
    summary: 'Gives a user a role, or another one.',
    params: ['id', 'userId'],
    body: putMemberSchema,
    answer: memberSchema,
  })
  put(
    @Context() context: RequestContext,
    @Param(ZodParams(memberParamsSchema)) params: MemberParams,
    @Body(ZodBody(putMemberSchema)) { role }: PutMember,
  ): Promise<object> {
    return this.members.put(context, params, role);
  }

  @Delete(':userId')
  @ApiRoute({ params: ['id', 'userId'] })
  remove(
    @Context() context: RequestContext,
    @Param(ZodParams(memberParamsSchema)) params: MemberParams,
  ): Promise<object> {
    return this.members.remove(context, params);
  }
}
