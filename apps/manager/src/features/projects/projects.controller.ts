import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ZodBody, ZodParams, ZodQuery } from '@penstock/service-kit';

import { Context, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { idParamsSchema } from '../listing/index.js';
import {
  type CreateProject,
  createProjectSchema,
  type PatchProject,
  patchProjectSchema,
  projectListSchema,
  type ProjectQuery,
  projectQuerySchema,
  projectSchema,
} from './projects.schemas.js';
import { ProjectsService } from './projects.service.js';

@ApiResource('projects')
@Controller('api/v1/projects')
export class ProjectsController {
  constructor(@Inject(ProjectsService) private readonly projects: ProjectsService) {}

  @Post()
  @ApiRoute({ summary: 'Makes a project.', body: createProjectSchema, answer: projectSchema, status: 201 })
  create(
    @Context() context: RequestContext,
    @Body(ZodBody(createProjectSchema)) input: CreateProject,
  ): Promise<object> {
    return this.projects.create(context, input);
  }

  @Get()
  @ApiRoute({ summary: "The caller's projects.", query: projectQuerySchema, answer: projectListSchema })
  list(
    @Context() { principal }: RequestContext,
    @Query(ZodQuery(projectQuerySchema)) query: ProjectQuery,
  ): Promise<object> {
    return this.projects.list(principal, query);
  }

  @Get(':id')
  @ApiRoute({ params: ['id'], answer: projectSchema })
  get(
    @Context() { principal }: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.projects.get(principal, id);
  }

  @Patch(':id')
  @ApiRoute({ params: ['id'], body: patchProjectSchema, answer: projectSchema })
  patch(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
    @Body(ZodBody(patchProjectSchema)) input: PatchProject,
  ): Promise<object> {
    return this.projects.patch(context, id, input);
  }

  @Delete(':id')
  @ApiRoute({ summary: 'Deletes an empty project.', params: ['id'] })
  remove(
    @Context() context: RequestContext,
    @Param(ZodParams(idParamsSchema)) { id }: { id: string },
  ): Promise<object> {
    return this.projects.remove(context, id);
  }
}
