import { setTimeout as delay } from 'node:timers/promises';

import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@penstock/observability';

import { LOGGER, type ManagerMetrics, METRICS } from '../../telemetry.js';
import {
  CoordinatorError,
  deferred,
  type EntityRef,
  keyOf,
  type PushResult,
  SendEntityService,
  UNPROVEN,
} from '../coordinator-sync/index.js';
import { backoffMs } from './domain/backoff.js';
import { type Claim, OutboxStore } from './outbox.store.js';

export interface PushOptions {
  /** When the caller stops waiting; what is left is the relay's. */
  readonly deadlineMs: number;
  /** A push that read this version or a later one will do. */
  readonly version?: bigint;
  /** Ask every live node to acknowledge the removal of a key. */
  readonly strict?: boolean;
}

const OTHER_PROCESS_POLL_MS = 50;

/**
 * Pushes entities, one push per entity at a time: within the process by a chain per key, between processes by the
 * lease of the outbox row. The state is read after the lease was taken, so the last push always carries the last
 * state, and callers whose change an ongoing push has read already share its result.
 */
@Injectable()
export class PushEntityService {
  readonly #running = new Map<string, Promise<PushResult>>();

  constructor(
    @Inject(OutboxStore) private readonly outbox: OutboxStore,
    @Inject(SendEntityService) private readonly sender: SendEntityService,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) private readonly metrics: ManagerMetrics,
  ) {}

  /** Never throws: whatever cannot be pushed now is `deferred` and stays in the outbox. */
  async push(ref: EntityRef, options: PushOptions): Promise<PushResult> {
    const key = keyOf(ref);
    for (let running = this.#running.get(key); running !== undefined; running = this.#running.get(key)) {
      const result = await running;
      if (!options.strict && carries(result, options.version)) return result;
    }
    const run = this.#run(ref, options).finally(() => this.#running.delete(key));
    this.#running.set(key, run);
    return run;
  }

  async #run(ref: EntityRef, options: PushOptions): Promise<PushResult> {
    const started = performance.now();
    const waited = () => performance.now() - started;
    try {
      const claim = await this.#claim(ref, options.deadlineMs);
      if (claim === null && options.strict !== true) {
        const busy = await this.outbox.has(ref);
        return { version: null, propagation: deferred(busy ? 'busy' : 'awaiting_ack', waited()) };
      }
      return await this.#send(ref, claim, options, waited);
    } catch (error) {
      this.logger.error({ err: error, kind: ref.kind, entity: ref.entityKey }, 'outbox push failed');
      return failure(null, 'coordinator_unavailable', waited(), options);
    }
  }

  /** Waits while another process holds the row; null when there is nothing to claim or no time left. */
  async #claim(ref: EntityRef, deadlineMs: number): Promise<Claim | null> {
    const giveUpAt = performance.now() + deadlineMs;
    for (;;) {
      const claim = await this.outbox.claim(ref);
      if (claim !== null) return claim;
      if (performance.now() >= giveUpAt || !(await this.outbox.has(ref))) return null;
      await delay(OTHER_PROCESS_POLL_MS);
    }
  }

  async #send(
    ref: EntityRef,
    claim: Claim | null,
    options: PushOptions,
    waited: () => number,
  ): Promise<PushResult> {
    try {
      const sent = await this.sender.send(ref, {
        deadlineMs: options.deadlineMs,
        traceparent: claim?.traceparent ?? null,
        strict: options.strict ?? false,
        onDisplaced: (displaced) => this.outbox.markAgain(displaced),
      });
      if (claim !== null) await this.outbox.complete(ref, claim);
      this.metrics.pushes.inc({ kind: ref.kind, outcome: sent.propagation.status });
      return {
        version: claim?.version ?? null,
        ...sent,
        ...(options.strict && { strict: sent.strict ?? UNPROVEN }),
      };
    } catch (error) {
      return this.#setAside(ref, claim, error, options, waited());
    }
  }

  async #setAside(
    ref: EntityRef,
    claim: Claim | null,
    error: unknown,
    options: PushOptions,
    waitedMs: number,
  ): Promise<PushResult> {
    const poisonous = error instanceof CoordinatorError && error.kind === 'refused';
    const reason = poisonous ? 'coordinator_refused' : 'coordinator_unavailable';
    const words = error instanceof Error ? error.message : String(error);
    const fields = { kind: ref.kind, entity: ref.entityKey, authority: ref.authority, error: words };
    this.metrics.pushes.inc({ kind: ref.kind, outcome: poisonous ? 'poisoned' : 'failed' });
    if (poisonous) this.logger.error(fields, 'coordinator refused an entity; it is skipped until it changes');
    else this.logger.warn({ ...fields, attempts: claim?.attempts ?? 0 }, 'push deferred');
    if (claim !== null && poisonous) await this.outbox.poison(ref, claim, words);
    if (claim !== null && !poisonous) {
      await this.outbox.release(ref, claim, words, backoffMs(claim.attempts, Math.random()));
    }
    return failure(claim?.version ?? null, reason, waitedMs, options);
  }
}

function carries(result: PushResult, version: bigint | undefined): boolean {
  return version !== undefined && result.version !== null && result.version >= version;
}

function failure(
  version: bigint | null,
  reason: 'coordinator_refused' | 'coordinator_unavailable',
  waitedMs: number,
  options: PushOptions,
): PushResult {
  return {
    version,
    propagation: deferred(reason, waitedMs),
    ...(options.strict && { strict: UNPROVEN }),
  };
}
