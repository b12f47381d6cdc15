import type { Deviations } from '../checking/deviations.js';
import type { CheckResult } from '../checking/report.js';

export type WorkerMode = 'wildcard' | 'port' | 'router';

export interface WorkerSuiteOptions {
  /** `host:port` on which the worker under test finds its coordinator, which is this suite. Port 0 picks a free one. */
  readonly listen: string;
  readonly apiSecret: string;
  /** Secret of the tokens that the worker checks. */
  readonly jwtSecret: string;
  /** The Redis of the worker's event bus. */
  readonly redisUrl: string;
  /** Host on which the worker takes traffic. Default: the host name it registers. */
  readonly trafficHost?: string | undefined;
  /** Port on which a WILDCARD or ROUTER worker takes traffic. Default: the one it registers. */
  readonly trafficPort?: number | undefined;
  /** Milliseconds until the worker must have registered and pulled. Default: 120 s. */
  readonly waitMs?: number | undefined;
  /** Told the coordinator URL to start the worker with. */
  readonly onListening?: ((coordinatorUrl: string) => void) | undefined;
  /** Has the worker stopped in the regular way. Without it its departure is not checked. */
  readonly stopWorker?: (() => Promise<void>) | undefined;
  /** Milliseconds until an event must have had its effect. Default: 3 s. */
  readonly patienceMs?: number | undefined;
  /** Milliseconds until a stopped worker must have said that it leaves. Default: 60 s. */
  readonly departureMs?: number | undefined;
  /** Pattern of check ids or sections. */
  readonly only?: string | undefined;
  readonly deviations?: Deviations | undefined;
  readonly onResult?: ((result: CheckResult) => void) | undefined;
}
