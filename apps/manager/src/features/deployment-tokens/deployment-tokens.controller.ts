import { Body, Controller, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ZodBody, ZodParams, ZodQuery } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import {
  deploymentTokenListSchema,
  type DeploymentTokenParams,
  deploymentTokenParamsSchema,
  type DeploymentTokenQuery,
  deploymentTokenQuerySchema,
  deploymentTokenSchema,
  mintedTokenSchema,
  type MintToken,
  mintTokenSchema,
} from './deployment-tokens.schemas.js';
import { DeploymentTokensService } from './deployment-tokens.service.js';

@ApiResource('deployment-tokens')
@Controller('api/v1/deployments/:id/tokens')
export class DeploymentTokensController {
  constructor(@Inject(DeploymentTokensService) private readonly tokens: DeploymentTokensService) {}

  @Post()
  @ApiRoute({
    summary: 'Mints an access token of the deployment. It is shown in this answer and never again.',
    params: ['id'],
    body: mintTokenSchema,
    answer: mintedTokenSchema,
    status: 201,
  })
  mint(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(mintTokenSchema)) input: MintToken,
  ): Promise<object> {
    return this.tokens.mint(context, id, input);
  }

  @Get()
  @ApiRoute({ params: ['id'], query: deploymentTokenQuerySchema, answer: deploymentTokenListSchema })
  list(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Query(ZodQuery(deploymentTokenQuerySchema)) query: DeploymentTokenQuery,
  ): Promise<object> {
    return this.tokens.list(principal, id, query);
  }

  @Delete(':tokenId')
  @ApiRoute({
    summary: 'Forgets the token. This does not revoke it: it stays good until it expires.',
    params: ['id', 'tokenId'],
    answer: deploymentTokenSchema,
  })
  remove(
    @Context() context: RequestContext,
    @Param(ZodParams(deploymentTokenParamsSchema)) params: DeploymentTokenParams,
  ): Promise<object> {
    return this.tokens.remove(context, params);
  }
}
