import { randomUUID } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';

import type { UpstreamBinding } from '../../generated/prisma/client.js';
import { Database, type Queries } from '../storage/index.js';
import type { TokenTimes } from './domain/rotation-schedule.js';
import type { Sealed } from './domain/token-cipher.js';

/** The right to mint the next token of one binding; nobody else has it until the lease runs out. */
export interface RotationClaim {
  readonly deploymentId: string;
  readonly intervalSeconds: number;
  /** Failed attempts before this one. */
  readonly attempts: number;
  /** By the clock of the database, which also says what is due: several managers need not agree on the time. */
  readonly claimedAt: Date;
  readonly leaseToken: string;
}

export interface NewBindingToken extends TokenTimes {
  readonly sealed: Sealed;
  readonly issuedAt: Date;
}

interface ClaimedRow {
  deployment_id: string;
  rotation_interval_s: number;
  attempts: number;
  claimed_at: Date;
}

/** Longer than minting may take, so that a lease outlives its call but not for long its process. */
const LEASE_MS = 30_000;

/** Managers whose keys differ, as while an operator changes it, replace each other's tokens no faster than this. */
const UNREADABLE_GRACE_MS = 30_000;

/** The rows that say which tokens are due, who mints them, and what was minted. */
@Injectable()
export class BindingsStore {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Takes what is due and held by nobody; two processes never get the same binding. */
  async claimDue(limit: number): Promise<RotationClaim[]> {
    const leaseToken = randomUUID();
    const rows = await this.database.read(
      (db) => db.$queryRaw<ClaimedRow[]>`
        UPDATE upstream_bindings
        SET leased_until = now() + ${LEASE_MS} * interval '1 millisecond', lease_token = ${leaseToken}::uuid
        WHERE deployment_id IN (
          SELECT deployment_id FROM upstream_bindings
          WHERE next_rotation_at <= now() AND (leased_until IS NULL OR leased_until < now())
          ORDER BY next_rotation_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        RETURNING deployment_id, rotation_interval_s, attempts, now() AS claimed_at`,
    );
    return rows.map((row) => toClaim(row, leaseToken));
  }

  /** The same for one binding that a request waits for. Null when it is not due or somebody is at it. */
  async claimOne(deploymentId: string): Promise<RotationClaim | null> {
    const leaseToken = randomUUID();
    const [row] = await this.database.read(
      (db) => db.$queryRaw<ClaimedRow[]>`
        UPDATE upstream_bindings
        SET leased_until = now() + ${LEASE_MS} * interval '1 millisecond', lease_token = ${leaseToken}::uuid
        WHERE deployment_id = ${deploymentId}::uuid AND next_rotation_at <= now()
          AND (leased_until IS NULL OR leased_until < now())
        RETURNING deployment_id, rotation_interval_s, attempts, now() AS claimed_at`,
    );
    return row === undefined ? null : toClaim(row, leaseToken);
  }

  /**
   * Makes tokens due that none of the keys at hand opens. Failed attempts keep the wait they were given, and a new
   * token its time: another manager with another key may just have made it.
   */
  async expireUnreadable(knownKeyIds: readonly string[]): Promise<void> {
    await this.database.read(
      (db) => db.$executeRaw`
        UPDATE upstream_bindings SET next_rotation_at = now()
        WHERE encryption_key_id <> ALL(${[...knownKeyIds]}::text[]) AND attempts = 0
          AND next_rotation_at > now() AND issued_at < now() - ${UNREADABLE_GRACE_MS} * interval '1 millisecond'`,
    );
  }

  /**
   * Writes the new token while the claim holds. A binding that was undone or changed meanwhile has lost it.
   * @returns the row as it was before, or null when the claim was lost
   */
  async complete(
    tx: Queries,
    { deploymentId, leaseToken }: RotationClaim,
    token: NewBindingToken,
  ): Promise<UpstreamBinding | null> {
    await tx.$queryRaw`SELECT 1 FROM upstream_bindings WHERE deployment_id = ${deploymentId}::uuid FOR UPDATE`;
    const held = { deployment_id: deploymentId, lease_token: leaseToken };
    const before = await tx.upstreamBinding.findFirst({ where: held });
    if (before === null) return null;
    await tx.upstreamBinding.update({
      where: { deployment_id: deploymentId },
      data: {
        token_ciphertext: token.sealed.bytes,
        encryption_key_id: token.sealed.keyId,
        issued_at: token.issuedAt,
        expires_at: token.expiresAt,
        next_rotation_at: token.nextRotationAt,
        attempts: 0,
        last_error: null,
        ...FREE,
      },
    });
    return before;
  }

  /** Keeps the old token and gives the binding back for a later attempt. */
  async postpone({ deploymentId, leaseToken }: RotationClaim, error: string, delayMs: number): Promise<void> {
    await this.database.read(
      (db) => db.$executeRaw`
        UPDATE upstream_bindings
        SET leased_until = NULL, lease_token = NULL, attempts = attempts + 1, last_error = ${error.slice(0, 500)},
            next_rotation_at = now() + ${delayMs} * interval '1 millisecond'
        WHERE deployment_id = ${deploymentId}::uuid AND lease_token = ${leaseToken}::uuid`,
    );
  }

  /** Every binding without its token. */
  async summaries(): Promise<Omit<UpstreamBinding, 'token_ciphertext'>[]> {
    return this.database.read((db) => db.upstreamBinding.findMany({ omit: { token_ciphertext: true } }));
  }

  async find(deploymentId: string): Promise<UpstreamBinding | null> {
    return this.database.read((db) =>
      db.upstreamBinding.findUnique({ where: { deployment_id: deploymentId } }),
    );
  }
}

/** Nobody works on the row, and whoever did finds its claim lost. */
export const FREE = { leased_until: null, lease_token: null } as const;

/** The token a row holds; null while it has none. */
export function sealedOf(
  row: Pick<UpstreamBinding, 'token_ciphertext' | 'encryption_key_id'>,
): Sealed | null {
  const { token_ciphertext: bytes, encryption_key_id: keyId } = row;
  return bytes === null || keyId === null ? null : { bytes, keyId };
}

function toClaim(row: ClaimedRow, leaseToken: string): RotationClaim {
  const { deployment_id: deploymentId, rotation_interval_s: intervalSeconds, attempts } = row;
  return { deploymentId, intervalSeconds, attempts, claimedAt: row.claimed_at, leaseToken };
}
