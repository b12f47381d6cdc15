import {
  canonicalKey,
  toWireTimestamp,
  WireError,
  type ModelApiKey,
  type PutKeyBody,
} from '@penstock/protocol';

import type { RouterApiKey } from '../../../generated/prisma/client.js';
import { jsonColumn, nullableJsonColumn, type Database, type Executor } from '../../../persistence/index.js';
import { bumpRevision, lockAuthority, readAuthority, type Authority } from '../../authorities/index.js';
import { sameKey } from '../domain/same-key.js';

/** A key as stored, under its id. */
export interface StoredKey {
  readonly keyId: string;
  readonly content: PutKeyBody;
}

export interface KeyChange {
  readonly authority: Authority;
  readonly changed: boolean;
}

/** Model API keys of an authority: hashes only, a plaintext never gets here. */
export class ApiKeyStore {
  constructor(private readonly database: Database) {}

  list(authority: string): Promise<{ authority: Authority; keys: StoredKey[] }> {
    return this.database.snapshot(async (db) => ({
      authority: await readAuthority(db, authority),
      keys: (await readRows(db, authority)).map(toStoredKey),
    }));
  }

  /** @throws WireError 404 unknown authority, 409 another key has the hash */
  put(authority: string, keyId: string, body: PutKeyBody): Promise<KeyChange> {
    return this.database.transact(async (db) => {
      const current = await lockAuthority(db, authority);
      const key = { workerAuthority: authority, keyId };
      const row = await db.routerApiKey.findUnique({ where: { workerAuthority_keyId: key } });
      if (row && sameKey(toStoredKey(row).content, body)) return { authority: current, changed: false };
      await refuseTwin(db, authority, keyId, body.token_hash);
      const content = toColumns(body);
      await db.routerApiKey.upsert({
        where: { workerAuthority_keyId: key },
        create: { ...key, ...content },
        update: content,
      });
      return { authority: { ...current, revision: await bumpRevision(db, authority) }, changed: true };
    });
  }

  remove(authority: string, keyId: string): Promise<KeyChange> {
    return this.database.transact(async (db) => {
      const current = await lockAuthority(db, authority);
      const { count } = await db.routerApiKey.deleteMany({ where: { workerAuthority: authority, keyId } });
      if (count === 0) return { authority: current, changed: false };
      return { authority: { ...current, revision: await bumpRevision(db, authority) }, changed: true };
    });
  }
}

/**
 * Routers find keys by hash and refuse a configuration in which one leads to two keys: written once, it would hold up
 * every later change of the authority. The caller holds the authority locked.
 */
async function refuseTwin(db: Executor, authority: string, keyId: string, tokenHash: string): Promise<void> {
  const twin = await db.routerApiKey.findFirst({
    where: { workerAuthority: authority, tokenHash, keyId: { not: keyId } },
    select: { keyId: true },
  });
  if (twin) throw WireError.keyHashConflict(twin.keyId);
}

/** All keys of an authority as routers get them, by id. */
export async function readApiKeys(db: Executor, authority: string): Promise<ModelApiKey[]> {
  const rows = await readRows(db, authority);
  return rows.map((row) => {
    const { keyId: key_id, content } = toStoredKey(row);
    return canonicalKey({ key_id, ...content });
  });
}

function readRows(db: Executor, authority: string): Promise<RouterApiKey[]> {
  return db.routerApiKey.findMany({
    where: { workerAuthority: authority },
    orderBy: [{ createdAt: 'asc' }, { keyId: 'asc' }],
  });
}

function toStoredKey(row: RouterApiKey): StoredKey {
  const content: PutKeyBody = {
    token_hash: row.tokenHash,
    display_hint: row.displayHint,
    allowed_models: row.allowedModels as string[],
    expires_at: row.expiresAt === null ? null : toWireTimestamp(row.expiresAt),
    rate_limit: row.rateLimit,
    allowed_client_ips: row.allowedClientIps as string[] | null,
    project_id: row.projectId,
    domain: row.domain,
    owner: row.owner,
    attributes: row.attributes as Record<string, unknown> | null,
  };
  return { keyId: row.keyId, content };
}

function toColumns(body: PutKeyBody) {
  return {
    tokenHash: body.token_hash,
    displayHint: body.display_hint,
    allowedModels: jsonColumn(body.allowed_models),
    expiresAt: body.expires_at === null ? null : new Date(body.expires_at),
    rateLimit: body.rate_limit,
    allowedClientIps: nullableJsonColumn(body.allowed_client_ips),
    projectId: body.project_id ?? null,
    domain: body.domain ?? null,
    owner: body.owner ?? null,
    attributes: nullableJsonColumn(body.attributes),
    updatedAt: new Date(),
  };
}
