import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@penstock/protocol';

import { newId } from '../../new-id.js';
import type { Project } from '../../generated/prisma/client.js';
import { fieldProblem, notFound, onDuplicate } from '../../problems.js';
import { canSee, type Principal, requireAdmin, type RequestContext, requireRole } from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import { ChangeService } from '../changes/index.js';
import { type Page, pageById, toPage } from '../listing/index.js';
import { Database, type Queries } from '../storage/index.js';
import type { CreateProject, PatchProject, ProjectQuery } from './projects.schemas.js';

/** Projects: what roles are given in, and what every object belongs to. */
@Injectable()
export class ProjectsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
  ) {}

  async create(context: RequestContext, input: CreateProject): Promise<Project> {
    requireAdmin(context.principal);
    const creation = this.changes.applyLocally(context, async (tx) => {
      const domain = await tx.domain.findUnique({ where: { name: input.domain } });
      if (domain === null) throw fieldProblem('domain', 'There is no such domain.');
      const view = await tx.project.create({ data: { id: newId(), ...input } });
      return { view, audit: [auditOf('project.create', view, { ...input })] };
    });
    return creation.catch(onDuplicate(() => nameTaken(input.name)));
  }

  async get(principal: Principal, id: string): Promise<Project> {
    const row = await this.database.read((db) => db.project.findUnique({ where: { id } }));
    return visible(principal, row);
  }

  async list(principal: Principal, query: ProjectQuery): Promise<Page<Project>> {
    const { limit, cursor, ...filters } = query;
    const { after, take } = pageById({ limit, cursor });
    const mine = principal.isAdmin ? {} : { id: { in: [...principal.roles.keys()] } };
    const rows = await this.database.read((db) =>
      db.project.findMany({ where: { AND: [mine, filters, after] }, orderBy: { id: 'asc' }, take }),
    );
    return toPage(
      rows,
      limit,
      (row) => row.id,
      (row) => row,
    );
  }

  async patch(context: RequestContext, id: string, input: PatchProject): Promise<Project> {
    const change = this.changes.applyLocally(context, async (tx) => {
      await lockProject(tx, context.principal, id);
      const view = await tx.project.update({ where: { id }, data: input });
      return { view, audit: [auditOf('project.update', view, { ...input })] };
    });
    return change.catch(onDuplicate(() => nameTaken(input.name)));
  }

  /** Only an empty project can go: deleting what serves requests must be asked for by name. */
  async remove(context: RequestContext, id: string): Promise<{ id: string }> {
    return this.changes.applyLocally(context, async (tx) => {
      const project = await lockProject(tx, context.principal, id);
      const [deployments, publications, keys] = [
        await tx.deployment.count({ where: { project_id: id } }),
        await tx.modelPublication.count({ where: { project_id: id } }),
        await tx.modelApiKey.count({ where: { project_id: id, status: 'ACTIVE' } }),
      ];
      if (deployments + publications + keys > 0) {
        throw new AppError(
          'resource.in_use',
          `The project still has ${deployments} deployments, ${publications} publications and ${keys} active keys.`,
        );
      }
      await tx.project.delete({ where: { id } });
      return { view: { id }, audit: [auditOf('project.delete', project)] };
    });
  }
}

/**
 * Locks the row against changes at the same time and checks that the caller administers it.
 * @throws AppError `resource.not_found`, `auth.forbidden`
 */
export async function lockProject(tx: Queries, principal: Principal, id: string): Promise<Project> {
  await tx.$queryRaw`SELECT id FROM projects WHERE id = ${id}::uuid FOR UPDATE`;
  const project = visible(principal, await tx.project.findUnique({ where: { id } }));
  requireRole(principal, project.id, 'admin');
  return project;
}

function visible(principal: Principal, row: Project | null): Project {
  if (row === null || !canSee(principal, row.id)) throw notFound('project');
  return row;
}

function auditOf(action: string, project: Project, changes: Record<string, unknown> = {}): AuditEntry {
  return {
    action,
    targetKind: 'project',
    targetId: project.id,
    targetName: project.name,
    domain: project.domain,
    projectId: project.id,
    changes,
  };
}

function nameTaken(name = ''): AppError {
  return new AppError('resource.already_exists', `The domain has a project ${name} already.`, {
    errors: [{ field: 'name', message: 'taken' }],
  });
}
