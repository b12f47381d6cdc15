import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@penstock/observability';
import { PeriodicRounds } from '@penstock/service-kit';

import { LOGGER, type ManagerMetrics, METRICS } from '../../telemetry.js';
import { ROTATION_CHECK_INTERVAL_MS, TOKEN_CIPHER } from './bindings-options.js';
import { BindingsStore, type RotationClaim } from './bindings.store.js';
import { DeliverEnvironmentService } from './deliver-environment.service.js';
import { stateOf, type TokenState } from './domain/rotation-schedule.js';
import type { TokenCipher } from './domain/token-cipher.js';
import { RotateTokenService } from './rotate-token.service.js';

const BATCH = 32;
const STATES: readonly TokenState[] = ['missing', 'current', 'expiring', 'expired'];

type Summary = Awaited<ReturnType<BindingsStore['summaries']>>[number];

/** Looks for tokens that are due, for files that differ, and for tokens that nobody managed to replace in time. */
@Injectable()
export class RotationScheduler implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #rounds: PeriodicRounds;
  /** Expiries that were warned about already. */
  readonly #warned = new Map<string, number>();

  constructor(
    @Inject(BindingsStore) private readonly bindings: BindingsStore,
    @Inject(RotateTokenService) private readonly rotation: RotateTokenService,
    @Inject(DeliverEnvironmentService) private readonly delivery: DeliverEnvironmentService,
    @Inject(TOKEN_CIPHER) private readonly cipher: TokenCipher | null,
    @Inject(ROTATION_CHECK_INTERVAL_MS) intervalMs: number,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) private readonly metrics: ManagerMetrics,
  ) {
    this.#rounds = new PeriodicRounds(() => this.#runRound(), intervalMs);
  }

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Runs one round now, or joins the one that is running. Never throws. */
  runOnce(): Promise<void> {
    return this.#rounds.runOnce();
  }

  async #runRound(): Promise<void> {
    try {
      await this.#rotateDue();
      const summaries = await this.bindings.summaries();
      this.#report(summaries, new Date());
      await this.delivery.deliverAll(new Map(summaries.map((row) => [row.deployment_id, row.issued_at])));
    } catch (error) {
      // The database is away, or the sink; the next round asks again.
      this.logger.debug({ err: error }, 'upstream tokens could not be looked at');
    }
  }

  async #rotateDue(): Promise<void> {
    if (this.cipher === null) return;
    await this.bindings.expireUnreadable(this.cipher.knownKeyIds);
    let claims: RotationClaim[];
    do {
      claims = await this.bindings.claimDue(BATCH);
      await Promise.all(claims.map((claim) => this.rotation.rotate(claim)));
    } while (claims.length === BATCH && !this.#rounds.isStopped);
  }

  #report(summaries: readonly Summary[], now: Date): void {
    const states = summaries.map((row) => stateOf(row.expires_at, row.rotation_interval_s, now));
    for (const state of STATES) {
      this.metrics.upstreamTokens.set({ state }, states.filter((one) => one === state).length);
    }
    summaries.forEach((row, index) => this.#warn(row, states[index] ?? 'missing'));
  }

  /** Once per token, not once per round. */
  #warn(row: Summary, state: TokenState): void {
    const { deployment_id: deployment, expires_at, attempts, last_error } = row;
    if (state === 'current' || expires_at === null) return void this.#warned.delete(deployment);
    if (this.#warned.get(deployment) === expires_at.getTime()) return;
    this.#warned.set(deployment, expires_at.getTime());
    const fields = { deployment, expires_at, attempts, last_error };
    this.logger.warn(fields, 'an upstream token nears its end and could not be replaced');
  }
}
