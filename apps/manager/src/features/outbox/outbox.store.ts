import { randomUUID } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';

import { Database, type Queries } from '../storage/index.js';
import { type EntityKind, type EntityRef, inLockOrder, keyOf } from '../coordinator-sync/index.js';

/** An entity whose state changed. `removed`: the coordinator must no longer have it. */
export interface DirtyEntity {
  readonly ref: EntityRef;
  readonly removed: boolean;
  /** Nobody waits for this one: the relay may take it at once. */
  readonly forRelay?: boolean;
}

export interface Claim {
  readonly version: bigint;
  readonly attempts: number;
  readonly traceparent: string | null;
  readonly leaseToken: string;
}

/** The request pushes right after its commit; the relay looks at a new row only when that did not happen. */
const GRACE_MS = 2_000;

/** Longer than a push may take, so that a lease outlives its push but not for long its process. */
const LEASE_MS = 20_000;

interface OutboxRow {
  authority: string;
  kind: string;
  entity_key: string;
  domain: string | null;
  project_id: string | null;
}

/**
 * The queue of entities still to be pushed: one row per entity, marked again by each change. What is pushed is the
 * state at the time of the push, so rows hold keys and never content, and a change made twice is pushed once.
 */
@Injectable()
export class OutboxStore {
  constructor(@Inject(Database) private readonly database: Database) {}

  /**
   * Marks entities inside the transaction that changed them.
   * @returns the version of each row: a push that read this version or a later one carries the change
   */
  async mark(
    tx: Queries,
    entities: readonly DirtyEntity[],
    traceparent: string | null,
  ): Promise<ReadonlyMap<string, bigint>> {
    const versions = new Map<string, bigint>();
    for (const { ref, removed, forRelay } of inLockOrder(entities)) {
      await setTombstone(tx, ref, removed);
      versions.set(keyOf(ref), await upsert(tx, ref, traceparent, forRelay ? 0 : GRACE_MS));
    }
    return versions;
  }

  /** Marks an entity that did not change here, because its copy on the coordinator did. */
  async markAgain(ref: EntityRef): Promise<void> {
    await this.database.read((db) => upsert(db, ref, null, 0));
  }

  /** Takes the lease of a row. Null when there is no row, or another process holds it. */
  async claim(ref: EntityRef): Promise<Claim | null> {
    const leaseToken = randomUUID();
    const rows = await this.database.read(
      (db) => db.$queryRaw<{ version: bigint; attempts: number; traceparent: string | null }[]>`
        UPDATE outbox_entries
        SET leased_until = now() + ${LEASE_MS} * interval '1 millisecond', lease_token = ${leaseToken}::uuid,
            attempts = attempts + 1
        WHERE authority = ${ref.authority} AND kind = ${ref.kind} AND entity_key = ${ref.entityKey}
          AND (leased_until IS NULL OR leased_until < now())
        RETURNING version, attempts, traceparent`,
    );
    return rows[0] === undefined ? null : { ...rows[0], leaseToken };
  }

  async has(ref: EntityRef): Promise<boolean> {
    const row = await this.database.read((db) =>
      db.outboxEntry.findUnique({ where: { authority_kind_entity_key: idOf(ref) } }),
    );
    return row !== null;
  }

  /** Removes the row when nothing changed since it was claimed; otherwise frees it for the next push. */
  async complete(ref: EntityRef, claim: Claim): Promise<void> {
    await this.database.read(async (db) => {
      const held = { ...idOf(ref), lease_token: claim.leaseToken };
      const done = await db.outboxEntry.deleteMany({ where: { ...held, version: claim.version } });
      if (done.count > 0) return;
      await db.outboxEntry.updateMany({
        where: held,
        data: { leased_until: null, lease_token: null, attempts: 0, next_attempt_at: new Date() },
      });
    });
  }

  /** Gives the row back for a later attempt. */
  async release(ref: EntityRef, claim: Claim, error: string, delayMs: number): Promise<void> {
    await this.database.read(
      (db) => db.$executeRaw`
        UPDATE outbox_entries
        SET leased_until = NULL, lease_token = NULL, last_error = ${error.slice(0, 500)},
            next_attempt_at = now() + ${delayMs} * interval '1 millisecond'
        WHERE authority = ${ref.authority} AND kind = ${ref.kind} AND entity_key = ${ref.entityKey}
          AND lease_token = ${claim.leaseToken}::uuid`,
    );
  }

  /** Takes a row that can never succeed out of the way; the next change of the entity revives it. */
  async poison(ref: EntityRef, claim: Claim, error: string): Promise<void> {
    await this.database.read(async (db) => {
      const held = { ...idOf(ref), lease_token: claim.leaseToken };
      const free = { leased_until: null, lease_token: null, last_error: error.slice(0, 500) };
      const poisoned = await db.outboxEntry.updateMany({
        where: { ...held, version: claim.version },
        data: { ...free, status: 'poisoned' },
      });
      if (poisoned.count === 0) await db.outboxEntry.updateMany({ where: held, data: free });
    });
  }

  /** Rows whose time has come and that nobody holds, longest waiting first. */
  async due(limit: number): Promise<EntityRef[]> {
    const rows = await this.database.read(
      (db) => db.$queryRaw<OutboxRow[]>`
        SELECT authority, kind, entity_key, domain, project_id FROM outbox_entries
        WHERE status = 'pending' AND next_attempt_at <= now() AND (leased_until IS NULL OR leased_until < now())
        ORDER BY next_attempt_at LIMIT ${limit}`,
    );
    return rows.map(toRef);
  }

  /** Keys of the authority's entities whose push is owed or under way. */
  async pendingKeys(authority: string): Promise<ReadonlySet<string>> {
    const rows = await this.database.read((db) =>
      db.outboxEntry.findMany({ where: { authority, status: 'pending' } }),
    );
    return new Set(rows.map((row) => keyOf(toRef(row))));
  }

  /** The coordinator answers again: whatever waits for its next attempt may try now. */
  async wakeAll(): Promise<void> {
    await this.database.read(
      (db) => db.$executeRaw`
        UPDATE outbox_entries SET next_attempt_at = now()
        WHERE status = 'pending' AND leased_until IS NULL AND attempts > 0`,
    );
  }

  async countByStatus(): Promise<{ pending: number; poisoned: number }> {
    const groups = await this.database.read((db) =>
      db.outboxEntry.groupBy({ by: ['status'], _count: { _all: true } }),
    );
    const count = (status: string) => groups.find((group) => group.status === status)?._count._all ?? 0;
    return { pending: count('pending'), poisoned: count('poisoned') };
  }
}

async function upsert(
  tx: Queries,
  ref: EntityRef,
  traceparent: string | null,
  graceMs: number,
): Promise<bigint> {
  const rows = await tx.$queryRaw<{ version: bigint }[]>`
    INSERT INTO outbox_entries AS o (authority, kind, entity_key, domain, project_id, traceparent, next_attempt_at)
    VALUES (${ref.authority}, ${ref.kind}, ${ref.entityKey}, ${ref.domain}, ${ref.projectId}::uuid, ${traceparent},
            now() + ${graceMs} * interval '1 millisecond')
    ON CONFLICT (authority, kind, entity_key) DO UPDATE
    SET version = nextval('outbox_version_seq'), status = 'pending', attempts = 0, last_error = NULL,
        domain = excluded.domain, project_id = excluded.project_id, traceparent = excluded.traceparent,
        next_attempt_at = excluded.next_attempt_at
    RETURNING o.version`;
  const row = rows[0];
  if (row === undefined) throw new Error('the outbox row was not written');
  return row.version;
}

/** Drift repair may remove only what was removed here on purpose. */
async function setTombstone(tx: Queries, ref: EntityRef, removed: boolean): Promise<void> {
  if (!removed) {
    await tx.tombstone.deleteMany({ where: idOf(ref) });
    return;
  }
  const row = { ...idOf(ref), domain: ref.domain, project_id: ref.projectId };
  await tx.tombstone.upsert({
    where: { authority_kind_entity_key: idOf(ref) },
    create: row,
    update: { removed_at: new Date() },
  });
}

function idOf(ref: EntityRef): { authority: string; kind: string; entity_key: string } {
  return { authority: ref.authority, kind: ref.kind, entity_key: ref.entityKey };
}

function toRef(row: OutboxRow): EntityRef {
  return {
    authority: row.authority,
    kind: row.kind as EntityKind,
    entityKey: row.entity_key,
    domain: row.domain,
    projectId: row.project_id,
  };
}
