import type { ReplicaState } from '../routing/index.js';
import type { ReplicaClient, ReplicaSink } from './replica-client.port.js';
import type { TimerWheel } from './timer-wheel.js';
import type { AttemptFailure } from '@penstock/routing';

/** The name a replica serves its model under, or why it could not be asked. Null: it lists none, so send the caller's. */
export type Discovery =
  | { readonly ok: true; readonly model: string | null }
  | { readonly ok: false; readonly failure: AttemptFailure; readonly cause: Error };

type Waiter = (discovery: Discovery) => void;

interface ModelDiscoveryOptions {
  readonly client: ReplicaClient;
  readonly timers: TimerWheel;
  readonly timeoutMs: number;
}

/** How long a replica without a usable list is not asked again. */
const NAMELESS_MS = 30_000;
/** Model lists are small; a larger answer is not one. */
const LIST_BYTES_MAX = 1024 * 1024;

/**
 * Asks a replica for the first id of its `/v1/models`, once however many requests wait for it, and remembers it with
 * the replica's state. Forgotten when the replica fails or says it does not know the name: it may have been restarted
 * with another model.
 */
export class ModelDiscovery {
  private readonly asking = new Map<ReplicaState, Waiter[]>();
  /** Until when, in the wheel's milliseconds, a replica counts as one that lists nothing. */
  private readonly nameless = new WeakMap<ReplicaState, number>();

  constructor(private readonly options: ModelDiscoveryOptions) {}

  /** Calls back at once when the name is known. */
  resolve(replica: ReplicaState, waiter: Waiter): void {
    if (replica.discoveredModel !== null) return waiter({ ok: true, model: replica.discoveredModel });
    if (this.isNameless(replica)) return waiter({ ok: true, model: null });
    const waiting = this.asking.get(replica);
    if (waiting !== undefined) {
      waiting.push(waiter);
      return;
    }
    this.asking.set(replica, [waiter]);
    this.ask(replica);
  }

  private isNameless(replica: ReplicaState): boolean {
    const untilMs = this.nameless.get(replica);
    return untilMs !== undefined && this.options.timers.now() < untilMs;
  }

  private remember(replica: ReplicaState, model: string | null): void {
    replica.discoveredModel = model;
    if (model === null) this.nameless.set(replica, this.options.timers.now() + NAMELESS_MS);
  }

  private ask(replica: ReplicaState): void {
    const { client, timers, timeoutMs } = this.options;
    const timer = timers.create(() => {
      call.abort();
      settle({
        ok: false,
        failure: 'headers_timeout',
        cause: new Error('The model list did not come in time'),
      });
    });
    const settle = (discovery: Discovery) => {
      timer.cancel();
      if (discovery.ok) this.remember(replica, discovery.model);
      const waiters = this.asking.get(replica) ?? [];
      this.asking.delete(replica);
      for (const waiter of waiters) waiter(discovery);
    };
    timer.arm(timeoutMs);
    const headers = ['accept', 'application/json', 'accept-encoding', 'identity'];
    const request = { method: 'GET', path: '/v1/models', headers, body: null } as const;
    const call = client.send(replica, request, new ListSink(settle));
  }
}

class ListSink implements ReplicaSink {
  private status = 0;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly settle: Waiter) {}

  head(status: number): void {
    this.status = status;
  }

  data(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    if (this.bytes <= LIST_BYTES_MAX) this.chunks.push(chunk);
    return true;
  }

  end(): void {
    const unfit = this.status >= 500;
    this.settle(unfit ? this.unavailable() : { ok: true, model: this.firstId() });
  }

  fail(failure: AttemptFailure, cause: Error): void {
    this.settle({ ok: false, failure, cause });
  }

  private unavailable(): Discovery {
    const cause = new Error(`The model list was answered with status ${this.status}`);
    return { ok: false, failure: 'reset', cause };
  }

  private firstId(): string | null {
    if (this.status !== 200 || this.bytes > LIST_BYTES_MAX) return null;
    try {
      const list = JSON.parse(Buffer.concat(this.chunks).toString('utf8')) as {
        data?: { id?: unknown }[];
      } | null;
      const id = list?.data?.[0]?.id;
      return typeof id === 'string' && id !== '' ? id : null;
    } catch {
      return null;
    }
  }
}
