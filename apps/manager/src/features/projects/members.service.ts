import { Inject, Injectable } from '@nestjs/common';

import type { Membership } from '../../generated/prisma/client.js';
import { notFound } from '../../problems.js';
import { canSee, type Principal, type RequestContext, type Role } from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import { ChangeService } from '../changes/index.js';
import { type Page, toPage } from '../listing/index.js';
import { Database } from '../storage/index.js';
import type { MemberParams, MemberQuery } from './projects.schemas.js';
import { lockProject } from './projects.service.js';

/** Roles of users in one project. */
@Injectable()
export class MembersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
  ) {}

  /** Ordered by the id of the user. */
  async list(
    principal: Principal,
    projectId: string,
    { limit, cursor }: MemberQuery,
  ): Promise<Page<Membership>> {
    if (!canSee(principal, projectId)) throw notFound('project');
    const where = cursor === undefined ? {} : { user_id: { gt: cursor } };
    const project = await this.database.read((db) =>
      db.project.findUnique({
        where: { id: projectId },
        include: { memberships: { where, orderBy: { user_id: 'asc' }, take: limit + 1 } },
      }),
    );
    if (project === null) throw notFound('project');
    return toPage(
      project.memberships,
      limit,
      (row) => row.user_id,
      (row) => row,
    );
  }

  async put(context: RequestContext, params: MemberParams, role: Role): Promise<Membership> {
    return this.changes.applyLocally(context, async (tx) => {
      const project = await lockProject(tx, context.principal, params.id);
      const user = await tx.user.findUnique({ where: { id: params.userId } });
      if (user === null) throw notFound('user');
      const id = { project_id: project.id, user_id: user.id };
      const view = await tx.membership.upsert({
        where: { project_id_user_id: id },
        create: { ...id, domain: project.domain, role },
        update: { role },
      });
      return { view, audit: [auditOf('member.put', view, user.name)] };
    });
  }

  /** The grants of the user's keys shrink with the next reconciliation; revoke a key to cut it off at once. */
  async remove(
    context: RequestContext,
    params: MemberParams,
  ): Promise<{ project_id: string; user_id: string }> {
    return this.changes.applyLocally(context, async (tx) => {
      const project = await lockProject(tx, context.principal, params.id);
      const id = { project_id: project.id, user_id: params.userId };
      const row = await tx.membership.findUnique({ where: { project_id_user_id: id } });
      if (row === null) throw notFound('member');
      await tx.membership.delete({ where: { project_id_user_id: id } });
      return { view: id, audit: [auditOf('member.delete', row, null)] };
    });
  }
}

function auditOf(action: string, row: Membership, userName: string | null): AuditEntry {
  return {
    action,
    targetKind: 'member',
    targetId: row.user_id,
    targetName: userName,
    domain: row.domain,
    projectId: row.project_id,
    changes: { role: row.role },
  };
}
