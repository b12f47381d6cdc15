import { Body, Controller, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ZodBody, ZodParams, ZodQuery } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import {
  type CreateUser,
  createUserSchema,
  userListSchema,
  type UserQuery,
  userQuerySchema,
  userSchema,
} from './users.schemas.js';
import { UsersService } from './users.service.js';

@ApiResource('users')
@Controller('api/v1/users')
export class UsersController {
  constructor(@Inject(UsersService) private readonly users: UsersService) {}

  @Post()
  @ApiRoute({ summary: 'Makes a user.', body: createUserSchema, answer: userSchema, status: 201 })
  create(
    @Context() context: RequestContext,
    @Body(ZodBody(createUserSchema)) input: CreateUser,
  ): Promise<object> {
    return this.users.create(context, input);
  }

  @Get()
  @ApiRoute({
    summary: 'Oneself and those one shares a project with.',
    query: userQuerySchema,
    answer: userListSchema,
  })
  list(
    @Context() { principal }: RequestContext,
    @Query(ZodQuery(userQuerySchema)) query: UserQuery,
  ): Promise<object> {
    return this.users.list(principal, query);
  }

  @Get(':id')
  @ApiRoute({ params: ['id'], answer: userSchema })
  get(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.users.get(principal, id);
  }

  @Delete(':id')
  @ApiRoute({ summary: 'Deletes a user and revokes the keys of that user.', params: ['id'] })
  remove(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.users.remove(context, id);
  }
}
