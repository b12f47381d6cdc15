import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@penstock/protocol';
import type { Logger } from '@penstock/observability';

import type { Deployment } from '../../generated/prisma/client.js';
import { LOGGER, type ManagerMetrics, METRICS } from '../../telemetry.js';
import { ChangeService } from '../changes/index.js';
import { CoordinatorError } from '../coordinator-sync/index.js';
import { deploymentAudit, deploymentRef } from '../deployment-rows/index.js';
import { MintTokenService } from '../deployment-tokens/index.js';
import { Database } from '../storage/index.js';
import { TOKEN_CIPHER } from './bindings-options.js';
import { BindingsStore, type NewBindingToken, type RotationClaim } from './bindings.store.js';
import { DeliverEnvironmentService } from './deliver-environment.service.js';
import { retryDelayMs, timesOf } from './domain/rotation-schedule.js';
import type { TokenCipher } from './domain/token-cipher.js';

/**
 * Mints the token of an upstream for the owner of its downstream and puts it in the place of the old one. The old one
 * stays good for one more interval, so nobody has to be told. What fails keeps the old one and is tried again.
 */
@Injectable()
export class RotateTokenService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BindingsStore) private readonly bindings: BindingsStore,
    @Inject(MintTokenService) private readonly minter: MintTokenService,
    @Inject(ChangeService) private readonly changes: ChangeService,
    @Inject(DeliverEnvironmentService) private readonly delivery: DeliverEnvironmentService,
    @Inject(TOKEN_CIPHER) private readonly cipher: TokenCipher | null,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) private readonly metrics: ManagerMetrics,
  ) {}

  /** For a request that has just bound: its owner should find a token. Never throws; the timer does what is left. */
  async rotateNow(deploymentId: string): Promise<void> {
    try {
      const claim = await this.bindings.claimOne(deploymentId);
      if (claim !== null) await this.rotate(claim);
    } catch (error) {
      this.logger.warn(
        { err: error, deployment: deploymentId },
        'the upstream token could not be minted yet',
      );
    }
  }

  /** One attempt. Never throws but for a database that is away; then the lease runs out. */
  async rotate(claim: RotationClaim): Promise<void> {
    try {
      const token = await this.#mint(claim);
      if (token === null) return;
      const kept = await this.#keep(claim, token);
      this.metrics.upstreamRotations.inc({ outcome: kept ? 'rotated' : 'dropped' });
      if (kept) await this.delivery.deliver(claim.deploymentId);
    } catch (error) {
      await this.#postpone(claim, error);
    }
  }

  /** Null when the binding is gone or nothing could be kept. */
  async #mint(claim: RotationClaim): Promise<NewBindingToken | null> {
    const downstream = await this.#downstream(claim.deploymentId);
    if (downstream?.upstream == null || this.cipher === null) return null;
    const issuedAt = claim.claimedAt;
    const times = timesOf(issuedAt, claim.intervalSeconds);
    const wish = { userId: downstream.created_by, expiresAt: times.expiresAt };
    const token = await this.minter.mint(deploymentRef(downstream.upstream), wish);
    return { ...times, issuedAt, sealed: this.cipher.seal(token, claim.deploymentId) };
  }

  /** The first token belongs to the binding's own audit row; each one after it has a row of its own. */
  async #keep(claim: RotationClaim, token: NewBindingToken): Promise<boolean> {
    let kept = false;
    await this.changes.applyAsSystem(async (tx) => {
      const before = await this.bindings.complete(tx, claim, token);
      kept = before !== null;
      if (before === null || before.issued_at === null) return { view: {}, audit: [] };
      const downstream = await tx.deployment.findUniqueOrThrow({ where: { id: claim.deploymentId } });
      return { view: {}, audit: [rotationAudit(downstream, token)] };
    });
    return kept;
  }

  async #postpone(claim: RotationClaim, error: unknown): Promise<void> {
    const expected = error instanceof CoordinatorError || error instanceof AppError;
    const words = expected ? error.message : 'unexpected failure';
    const attempts = claim.attempts + 1;
    const delayMs = retryDelayMs(attempts, claim.intervalSeconds, Math.random());
    this.metrics.upstreamRotations.inc({ outcome: outcomeOf(error) });
    this.logger.warn(
      { deployment: claim.deploymentId, attempts, retry_in_ms: delayMs, err: error },
      'upstream token not rotated; the old one stays',
    );
    await this.bindings.postpone(claim, words, delayMs);
  }

  #downstream(id: string) {
    return this.database.read((db) =>
      db.deployment.findUnique({ where: { id }, include: { upstream: true } }),
    );
  }
}

function outcomeOf(error: unknown): string {
  if (!(error instanceof CoordinatorError)) return 'failed';
  return error.kind === 'refused' ? 'coordinator_refused' : 'coordinator_unavailable';
}

function rotationAudit(downstream: Deployment, { expiresAt }: NewBindingToken) {
  const { upstream_deployment_id } = downstream;
  return deploymentAudit('deployment.rotate', downstream, {
    upstream_deployment_id,
    user_id: downstream.created_by,
    expires_at: expiresAt,
  });
}
