import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ZodQuery } from '@penstock/service-kit';

import { Context, projectFilter, type RequestContext } from '../access/index.js';
import { ApiResource, ApiRoute } from '../api-docs/index.js';
import { type Page, pageById, toPage } from '../listing/index.js';
import { Database } from '../storage/index.js';
import { auditListSchema, type AuditQuery, auditQuerySchema } from './audit-logs.schemas.js';

@ApiResource('audit-logs')
@Controller('api/v1/audit-logs')
export class AuditLogsController {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Oldest first. Rows without a project are for global admins. */
  @Get()
  @ApiRoute({ summary: 'Who changed what.', query: auditQuerySchema, answer: auditListSchema })
  async list(
    @Context() { principal }: RequestContext,
    @Query(ZodQuery(auditQuerySchema)) query: AuditQuery,
  ): Promise<Page<object>> {
    const { limit, cursor, ...filters } = query;
    const { after, take } = pageById({ limit, cursor });
    const rows = await this.database.read((db) =>
      db.auditLog.findMany({
        where: { AND: [projectFilter(principal), filters, after] },
        orderBy: { id: 'asc' },
        take,
      }),
    );
    return toPage(
      rows,
      limit,
      (row) => row.id,
      (row) => row,
    );
  }
}
