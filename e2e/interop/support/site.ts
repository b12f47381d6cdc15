import type { Frontend } from '../stock/stock-worker.ts';

const VARIABLE = 'PENSTOCK_INTEROP_SITE';

/** A running coordinator and the Redis its workers need. */
export interface CoordinatorPlace {
  readonly url: string;
  readonly redisUrl: string;
}

/** A running process of a real worker. */
export interface WorkerPlace {
  readonly authority: string;
  readonly frontend: Frontend;
  readonly pid: number;
  readonly logFile: string;
}

/** What runs for the whole suite. Every authority is used by one spec file only. */
export interface Site {
  /** For configuration and logs; its name is short, as sockets lie in it. */
  readonly dir: string;
  readonly postgresUrl: string;
  /** The real coordinator, with a Redis of its own. */
  readonly stock: CoordinatorPlace;
  /** Our coordinator with the real port workers, and another with the real wildcard workers: stock placement
   * prefers wildcard workers, so that beside them a port worker would get nothing interactive. */
  readonly ports: CoordinatorPlace & { readonly http: WorkerPlace; readonly tcp: WorkerPlace };
  readonly wildcards: CoordinatorPlace & {
    readonly single: WorkerPlace;
    readonly pair: readonly [WorkerPlace, WorkerPlace];
  };
}

/** @throws when the spec was not run through the Jest project that starts everything. */
export function site(): Site {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error(`${VARIABLE} is not set: run ./penstock test interop.`);
  return JSON.parse(text) as Site;
}

export function shareSite(made: Site): void {
  process.env[VARIABLE] = JSON.stringify(made);
}
