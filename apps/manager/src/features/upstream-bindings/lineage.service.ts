import { Inject, Injectable } from '@nestjs/common';

import type { Deployment } from '../../generated/prisma/client.js';
import { hasRole, type Principal, projectFilter } from '../access/index.js';
import { readDeploymentRow } from '../deployment-rows/index.js';
import { Database } from '../storage/index.js';
import { ancestorsOf, descendantsOf } from './lineage.js';

export interface Lineage {
  readonly deployment_id: string;
  readonly upstream: string | null;
  readonly ancestors: readonly string[];
  readonly downstreams: readonly string[];
  readonly descendants: readonly string[];
  readonly hidden: number;
}

/**
 * What a deployment calls and what calls it. Deployments that the caller may not see are counted, not named, but for
 * those bound to the deployment: an administrator of its project may unbind them, and needs their ids for it.
 */
@Injectable()
export class LineageService {
  constructor(@Inject(Database) private readonly database: Database) {}

  async read(principal: Principal, id: string): Promise<Lineage> {
    return this.database.snapshot(async (tx) => {
      const row = await readDeploymentRow(tx, principal, id);
      const [ancestors, descendants] = [await ancestorsOf(tx, id), await descendantsOf(tx, id)];
      const all = [...ancestors, ...descendants];
      const visible = await tx.deployment.findMany({
        where: { AND: [shownTo(principal, row), { id: { in: all } }] },
        select: { id: true, upstream_deployment_id: true },
      });
      const shown = new Set(visible.map((one) => one.id));
      const direct = new Set(visible.filter((one) => one.upstream_deployment_id === id).map((one) => one.id));
      return {
        deployment_id: id,
        upstream: row.upstream_deployment_id,
        ancestors: ancestors.filter((one) => shown.has(one)),
        downstreams: descendants.filter((one) => direct.has(one)),
        descendants: descendants.filter((one) => shown.has(one)),
        hidden: all.length - shown.size,
      };
    });
  }
}

function shownTo(principal: Principal, { id, project_id }: Deployment) {
  const visible = projectFilter(principal);
  if (principal.isAdmin || !hasRole(principal, project_id, 'admin')) return visible;
  return { OR: [visible, { upstream_deployment_id: id }] };
}
