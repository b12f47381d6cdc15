import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ZodBody, ZodParams, ZodQuery } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import { IssueKeyService } from './issue-key.service.js';
import {
  issuedKeySchema,
  type IssueKey,
  issueKeySchema,
  keyListSchema,
  type KeyQuery,
  keyQuerySchema,
  keySchema,
  type PatchKey,
  patchKeySchema,
  revokedKeySchema,
  type RevokeQuery,
  revokeQuerySchema,
  type RotateKey,
  rotateKeySchema,
} from './model-api-keys.schemas.js';
import { ModelApiKeysService } from './model-api-keys.service.js';

@ApiResource('model-api-keys')
@Controller('api/v1/model-api-keys')
export class ModelApiKeysController {
  constructor(
    @Inject(IssueKeyService) private readonly issuance: IssueKeyService,
    @Inject(ModelApiKeysService) private readonly keys: ModelApiKeysService,
  ) {}

  @Post()
  @ApiRoute({
    summary: 'Issues a key. The plaintext is in this answer and never again; a replay has null in its place.',
    body: issueKeySchema,
    answer: issuedKeySchema,
    status: 201,
  })
  issue(@Context() context: RequestContext, @Body(ZodBody(issueKeySchema)) input: IssueKey): Promise<object> {
    return this.issuance.issue(context, input);
  }

  @Get()
  @ApiRoute({ query: keyQuerySchema, answer: keyListSchema })
  list(
    @Context() { principal }: RequestContext,
    @Query(ZodQuery(keyQuerySchema)) query: KeyQuery,
  ): Promise<object> {
    return this.keys.list(principal, query);
  }

  @Get(':id')
  @ApiRoute({ params: ['id'], answer: keySchema })
  get(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.keys.get(principal, id);
  }

  @Patch(':id')
  @ApiRoute({ params: ['id'], body: patchKeySchema, answer: keySchema })
  patch(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(patchKeySchema)) input: PatchKey,
  ): Promise<object> {
    return this.keys.patch(context, id, input);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @ApiRoute({
    summary: 'Gives the key a new plaintext; the old one stops working.',
    params: ['id'],
    body: rotateKeySchema,
    answer: issuedKeySchema,
  })
  rotate(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(rotateKeySchema)) input: RotateKey,
  ): Promise<object> {
    return this.keys.rotate(context, id, input);
  }

  @Delete(':id')
  @ApiRoute({
    summary: 'Revokes the key. With strict=true the answer names the nodes that confirmed it.',
    params: ['id'],
    query: revokeQuerySchema,
    answer: revokedKeySchema,
  })
  revoke(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Query(ZodQuery(revokeQuerySchema)) { strict }: RevokeQuery,
  ): Promise<object> {
    return this.keys.revoke(context, id, strict);
  }
}
