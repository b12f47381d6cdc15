import { Inject, Injectable } from '@nestjs/common';
import { isUniqueViolation } from '@penstock/database';

import { newId } from '../../new-id.js';
import { Database, json, type Queries } from '../storage/index.js';

export interface StoredAnswer {
  readonly status: number;
  readonly body: unknown;
}

export type Beginning =
  | { readonly kind: 'started'; readonly id: string }
  | { readonly kind: 'replay'; readonly answer: StoredAnswer }
  | { readonly kind: 'in_progress' }
  | { readonly kind: 'different_request' };

export interface RequestIdentity {
  readonly userId: string;
  readonly key: string;
  /** SHA-256 over method, path and body. */
  readonly requestHash: string;
}

/**
 * A request that neither finished nor committed within this time is taken to be dead. Taking over is safe: the
 * change and the completion of its row are one transaction.
 */
const LEASE_MS = 60_000;
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** Remembers the answers of POST requests by user and `Idempotency-Key` for a day. */
@Injectable()
export class IdempotencyStore {
  constructor(@Inject(Database) private readonly database: Database) {}

  async begin(identity: RequestIdentity): Promise<Beginning> {
    const id = newId();
    await this.#dropStale(identity);
    try {
      await this.database.read((db) => db.idempotencyKey.create({ data: newRow(id, identity) }));
      return { kind: 'started', id };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return this.#existing(identity);
    }
  }

  /** Completes the row in the transaction of the change, so that a crash after the commit still replays. */
  async complete(
    tx: Queries,
    id: string,
    answer: StoredAnswer,
    owner: { projectId: string | null },
  ): Promise<void> {
    await tx.idempotencyKey.update({
      where: { id },
      data: {
        status: 'completed',
        response_status: answer.status,
        response_body: json(answer.body),
        project_id: owner.projectId,
      },
    });
  }

  /** Replaces the stored body by the one that was sent, propagation included. */
  async amend(id: string, body: unknown): Promise<void> {
    await this.database.read((db) =>
      db.idempotencyKey.updateMany({
        where: { id, status: 'completed' },
        data: { response_body: json(body) },
      }),
    );
  }

  /** A request that failed may be sent again under the same key. */
  async abandon(id: string): Promise<void> {
    await this.database.read((db) => db.idempotencyKey.deleteMany({ where: { id, status: 'in_progress' } }));
  }

  async removeExpired(): Promise<void> {
    const before = new Date(Date.now() - KEPT_MS);
    await this.database.read((db) => db.idempotencyKey.deleteMany({ where: { created_at: { lt: before } } }));
  }

  async #dropStale({ userId, key }: RequestIdentity): Promise<void> {
    const now = new Date();
    const expired = new Date(now.getTime() - KEPT_MS);
    await this.database.read((db) =>
      db.idempotencyKey.deleteMany({
        where: {
          user_id: userId,
          idempotency_key: key,
          OR: [{ created_at: { lt: expired } }, { status: 'in_progress', leased_until: { lt: now } }],
        },
      }),
    );
  }

  async #existing(identity: RequestIdentity): Promise<Beginning> {
    const row = await this.database.read((db) =>
      db.idempotencyKey.findUnique({
        where: { user_id_idempotency_key: { user_id: identity.userId, idempotency_key: identity.key } },
      }),
    );
    // Abandoned between the two statements: the caller may simply try again.
    if (row === null) return { kind: 'in_progress' };
    if (row.request_hash !== identity.requestHash) return { kind: 'different_request' };
    if (row.status !== 'completed' || row.response_status === null) return { kind: 'in_progress' };
    return { kind: 'replay', answer: { status: row.response_status, body: row.response_body } };
  }
}

function newRow(id: string, identity: RequestIdentity) {
  return {
    id,
    user_id: identity.userId,
    idempotency_key: identity.key,
    request_hash: identity.requestHash,
    status: 'in_progress',
    leased_until: new Date(Date.now() + LEASE_MS),
  };
}
