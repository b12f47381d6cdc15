import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@penstock/protocol';

import { newId } from '../../new-id.js';
import type { User } from '../../generated/prisma/client.js';
import { fieldProblem, notFound, onDuplicate } from '../../problems.js';
import { type Principal, requireAdmin, type RequestContext } from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import { ChangeService } from '../changes/index.js';
import { type Page, pageById, toPage } from '../listing/index.js';
import { revokeKeysOf } from '../model-api-keys/index.js';
import { Database } from '../storage/index.js';
import type { CreateUser, UserQuery } from './users.schemas.js';

/** People and programs that call this API. */
@Injectable()
export class UsersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
  ) {}

  async create(context: RequestContext, input: CreateUser): Promise<User> {
    requireAdmin(context.principal);
    const creation = this.changes.applyLocally(context, async (tx) => {
      const domain = await tx.domain.findUnique({ where: { name: input.domain } });
      if (domain === null) throw fieldProblem('domain', 'There is no such domain.');
      const view = await tx.user.create({ data: { id: newId(), ...input } });
      return { view, audit: [auditOf('user.create', view, { ...input })] };
    });
    return creation.catch(onDuplicate(() => nameTaken(input.name)));
  }

  async get(principal: Principal, id: string): Promise<User> {
    const row = await this.database.read((db) =>
      db.user.findFirst({ where: { AND: [{ id }, visible(principal)] } }),
    );
    if (row === null) throw notFound('user');
    return row;
  }

  async list(principal: Principal, query: UserQuery): Promise<Page<User>> {
    const { limit, cursor, project_id, ...filters } = query;
    const { after, take } = pageById({ limit, cursor });
    const inProject = project_id === undefined ? {} : { memberships: { some: { project_id } } };
    const rows = await this.database.read((db) =>
      db.user.findMany({
        where: { AND: [visible(principal), filters, inProject, after] },
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

  /** Takes everything with it that acts in the user's name: tokens, roles, and model keys, which are revoked. */
  async remove(context: RequestContext, id: string): Promise<{ id: string; revoked_keys: number }> {
    requireAdmin(context.principal);
    if (id === context.principal.userId) {
      throw new AppError('resource.in_use', 'Nobody can delete the user whose token they are using.');
    }
    return this.changes.applyLocally(context, async (tx) => {
      const user = await tx.user.findUnique({ where: { id } });
      if (user === null) throw notFound('user');
      const revoked = await revokeKeysOf(tx, id);
      await tx.user.delete({ where: { id } });
      return {
        view: { id, revoked_keys: revoked.dirty.length },
        audit: [auditOf('user.delete', user), ...revoked.audit],
        dirty: revoked.dirty,
      };
    });
  }
}

/** Oneself, and those with whom one shares a project. */
function visible(principal: Principal) {
  if (principal.isAdmin) return {};
  const shared = { memberships: { some: { project_id: { in: [...principal.roles.keys()] } } } };
  return { OR: [{ id: principal.userId }, shared] };
}

function nameTaken(name: string): AppError {
  return new AppError('resource.already_exists', `There is a user ${name} already.`, {
    errors: [{ field: 'name', message: 'taken' }],
  });
}

function auditOf(action: string, user: User, changes: Record<string, unknown> = {}): AuditEntry {
  return {
    action,
    targetKind: 'user',
    targetId: user.id,
    targetName: user.name,
    domain: user.domain,
    projectId: null,
    changes,
  };
}
