import { Body, Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { AppError } from '@penstock/protocol';
import { ZodBody, ZodQuery } from '@penstock/service-kit';

import { onDuplicate } from '../../problems.js';
import { Context, type Principal, requireAdmin, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { ChangeService } from '../changes/index.js';
import { type Page, toPage } from '../listing/index.js';
import { Database } from '../storage/index.js';
import {
  type CreateDomain,
  createDomainSchema,
  domainListSchema,
  type DomainQuery,
  domainQuerySchema,
  domainSchema,
} from './domains.schemas.js';

@ApiResource('domains')
@Controller('api/v1/domains')
export class DomainsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
  ) {}

  @Post()
  @ApiRoute({ summary: 'Makes a domain.', body: createDomainSchema, answer: domainSchema, status: 201 })
  async create(
    @Context() context: RequestContext,
    @Body(ZodBody(createDomainSchema)) input: CreateDomain,
  ): Promise<object> {
    requireAdmin(context.principal);
    const creation = this.changes.applyLocally(context, async (tx) => ({
      view: await tx.domain.create({ data: input }),
      audit: [
        {
          action: 'domain.create',
          targetKind: 'domain',
          targetId: input.name,
          targetName: input.name,
          domain: input.name,
          projectId: null,
          changes: input,
        },
      ],
    }));
    return creation.catch(
      onDuplicate(() => new AppError('resource.already_exists', `There is a domain ${input.name} already.`)),
    );
  }

  @Get()
  @ApiRoute({
    summary: 'Domains of the projects the caller sees.',
    query: domainQuerySchema,
    answer: domainListSchema,
  })
  async list(
    @Context() { principal }: RequestContext,
    @Query(ZodQuery(domainQuerySchema)) { limit, cursor, name }: DomainQuery,
  ): Promise<Page<object>> {
    const rows = await this.database.read((db) =>
      db.domain.findMany({
        where: { AND: [visible(principal), { name }, cursor === undefined ? {} : { name: { gt: cursor } }] },
        orderBy: { name: 'asc' },
        take: limit + 1,
      }),
    );
    return toPage(
      rows,
      limit,
      (row) => row.name,
      (row) => row,
    );
  }
}

function visible(principal: Principal) {
  if (principal.isAdmin) return {};
  const ofProjects = { projects: { some: { id: { in: [...principal.roles.keys()] } } } };
  return { OR: [{ name: principal.domain }, ofProjects] };
}
