import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ZodBody, ZodParams, ZodQuery } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import {
  type CreatePublication,
  createPublicationSchema,
  type PatchPublication,
  patchPublicationSchema,
  publicationListSchema,
  type PublicationQuery,
  publicationQuerySchema,
  publicationSchema,
} from './publications.schemas.js';
import { PublicationsService } from './publications.service.js';

@ApiResource('publications')
@Controller('api/v1/publications')
export class PublicationsController {
  constructor(@Inject(PublicationsService) private readonly publications: PublicationsService) {}

  @Post()
  @ApiRoute({
    summary: 'Publishes a name onto weighted deployments.',
    body: createPublicationSchema,
    answer: publicationSchema,
    status: 201,
  })
  create(
    @Context() context: RequestContext,
    @Body(ZodBody(createPublicationSchema)) input: CreatePublication,
  ): Promise<object> {
    return this.publications.create(context, input);
  }

  @Get()
  @ApiRoute({ query: publicationQuerySchema, answer: publicationListSchema })
  list(
    @Context() { principal }: RequestContext,
    @Query(ZodQuery(publicationQuerySchema)) query: PublicationQuery,
  ): Promise<object> {
    return this.publications.list(principal, query);
  }

  @Get(':id')
  @ApiRoute({ params: ['id'], answer: publicationSchema })
  get(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.publications.get(principal, id);
  }

  @Patch(':id')
  @ApiRoute({
    summary: 'Changes aliases, mappings, policy or control mode; a list that is given replaces the old one.',
    params: ['id'],
    body: patchPublicationSchema,
    answer: publicationSchema,
  })
  patch(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(patchPublicationSchema)) input: PatchPublication,
  ): Promise<object> {
    return this.publications.patch(context, id, input);
  }

  @Delete(':id')
  @ApiRoute({
    summary: 'Unpublishes the name and its aliases; keys lose their grants for them.',
    params: ['id'],
  })
  remove(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.publications.remove(context, id);
  }
}
