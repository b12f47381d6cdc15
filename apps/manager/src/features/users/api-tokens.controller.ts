import { Body, Controller, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ZodBody, ZodParams, ZodQuery } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import { ApiTokensService } from './api-tokens.service.js';
import {
  type CreateToken,
  createTokenSchema,
  issuedTokenSchema,
  tokenListSchema,
  type TokenParams,
  tokenParamsSchema,
  type TokenQuery,
  tokenQuerySchema,
} from './users.schemas.js';

@ApiResource('users')
@Controller('api/v1/users/:id/tokens')
export class ApiTokensController {
  constructor(@Inject(ApiTokensService) private readonly tokens: ApiTokensService) {}

  @Post()
  @ApiRoute({
    summary: 'Issues an API token. It is shown in this answer and never again.',
    params: ['id'],
    body: createTokenSchema,
    answer: issuedTokenSchema,
    status: 201,
  })
  issue(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(createTokenSchema)) input: CreateToken,
  ): Promise<object> {
    return this.tokens.issue(context, id, input);
  }

  @Get()
  @ApiRoute({ params: ['id'], query: tokenQuerySchema, answer: tokenListSchema })
  list(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Query(ZodQuery(tokenQuerySchema)) query: TokenQuery,
  ): Promise<object> {
    return this.tokens.list(principal, id, query);
  }

  @Delete(':tokenId')
  @ApiRoute({ params: ['id', 'tokenId'] })
  revoke(
    @Context() context: RequestContext,
    @Param(ZodParams(tokenParamsSchema)) params: TokenParams,
  ): Promise<object> {
    return this.tokens.revoke(context, params);
  }
}
