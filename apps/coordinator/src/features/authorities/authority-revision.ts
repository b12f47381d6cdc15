import { WireError } from '@penstock/protocol';

import type { Executor } from '../../persistence/index.js';

/** A router authority with the revision over its publications and keys. */
export interface Authority {
  readonly workerId: string;
  readonly authority: string;
  readonly legacyNodes: number;
  readonly revision: string;
}

interface AuthorityRow {
  readonly id: string;
  readonly authority: string;
  readonly legacy_nodes: number;
  readonly revision: bigint;
}

/** @throws WireError 404 when no router ever registered under this name */
export async function readAuthority(db: Executor, authority: string): Promise<Authority> {
  const rows = await db.$queryRaw<AuthorityRow[]>`
    SELECT w.id, w.authority, w.legacy_nodes, a.revision
    FROM router_authorities a JOIN workers w ON w.authority = a.worker_authority
    WHERE a.worker_authority = ${authority}`;
  return toAuthority(rows[0]);
}

/**
 * The same, holding the row until the transaction ends: writers of one authority come one after the other, so that
 * names stay unique and revisions are handed out in commit order.
 */
export async function lockAuthority(db: Executor, authority: string): Promise<Authority> {
  const rows = await db.$queryRaw<AuthorityRow[]>`
    SELECT w.id, w.authority, w.legacy_nodes, a.revision
    FROM router_authorities a JOIN workers w ON w.authority = a.worker_authority
    WHERE a.worker_authority = ${authority} FOR UPDATE OF a`;
  return toAuthority(rows[0]);
}

/** @returns the revision the current transaction's change is committed as */
export async function bumpRevision(db: Executor, authority: string): Promise<string> {
  const row = await db.routerAuthority.update({
    where: { workerAuthority: authority },
    data: { revision: { increment: 1 } },
  });
  return row.revision.toString();
}

function toAuthority(row: AuthorityRow | undefined): Authority {
  if (!row) throw WireError.objectNotFound('router');
  const { id, authority, legacy_nodes, revision } = row;
  return { workerId: id, authority, legacyNodes: legacy_nodes, revision: revision.toString() };
}
