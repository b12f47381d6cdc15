import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@penstock/protocol';

import { type Principal, projectFilter } from '../access/index.js';
import {
  COORDINATOR_CLIENT,
  type CoordinatorClient,
  CoordinatorError,
  type RouterWorker,
} from '../coordinator-sync/index.js';
import { Database } from '../storage/index.js';
import type { RouterQuery, RouterView } from './routers.schemas.js';

const CALL = { deadlineMs: 5_000 };

/** The router fleet as the coordinator sees it now: nothing of it is kept here. */
@Injectable()
export class ListRoutersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(COORDINATOR_CLIENT) private readonly coordinator: CoordinatorClient,
  ) {}

  /** @throws AppError `coordinator.unavailable` */
  async list(principal: Principal, query: RouterQuery): Promise<{ items: RouterView[]; next_cursor: null }> {
    const visible = await this.#visibleAuthorities(principal);
    const asked = (authority: string) => query.authority === undefined || query.authority === authority;
    try {
      const workers = await this.coordinator.listWorkers(CALL);
      const routers = workers.filter(({ frontendMode }) => frontendMode === 'router');
      const shown = routers.filter(({ authority }) => asked(authority) && (visible?.has(authority) ?? true));
      return { items: await Promise.all(shown.map((router) => this.#describe(router))), next_cursor: null };
    } catch (error) {
      if (!(error instanceof CoordinatorError)) throw error;
      throw new AppError(
        'coordinator.unavailable',
        'The coordinator cannot be asked now. Try again shortly.',
        {
          cause: error,
          retryAfterSeconds: 2,
        },
      );
    }
  }

  async #describe({ id, authority, hostname }: RouterWorker): Promise<RouterView> {
    const [router, models] = await Promise.all([
      this.coordinator.getRouter(id, CALL),
      this.coordinator.listModels(authority, CALL),
    ]);
    return {
      authority,
      hostname,
      revision: models.revision,
      live_nodes: router.nodes,
      nodes: [...router.nodeDetails],
    };
  }

  /** Authorities that the caller's projects use; null for those who see everything. */
  async #visibleAuthorities(principal: Principal): Promise<ReadonlySet<string> | null> {
    if (principal.isAdmin) return null;
    const where = projectFilter(principal);
    const select = { authority: true };
    const rows = await this.database.read(async (db) => [
      ...(await db.deployment.findMany({ where, select, distinct: ['authority'] })),
      ...(await db.modelPublication.findMany({ where, select, distinct: ['authority'] })),
    ]);
    return new Set(rows.map(({ authority }) => authority));
  }
}
