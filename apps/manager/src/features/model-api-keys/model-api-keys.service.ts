import { Inject, Injectable } from '@nestjs/common';
import { AppError, type StrictResult } from '@penstock/protocol';

import type { ModelApiKey } from '../../generated/prisma/client.js';
import { fieldProblems } from '../../problems.js';
import { type Principal, projectFilter, type RequestContext } from '../access/index.js';
import { ChangeService, type Propagated } from '../changes/index.js';
import { type Page, pageById, toPage } from '../listing/index.js';
import { Database, json, jsonColumn, type Queries } from '../storage/index.js';
import { widenedBy } from './domain/grants.js';
import { type IssuedKey, requireFuture, requireGrantable } from './issue-key.service.js';
import { dirtyKey, keyAudit, lockKey, readKey, updateKey } from './key-rows.js';
import { keyView, type KeyView } from './key.view.js';
import type { KeyQuery, PatchKey, RotateKey } from './model-api-keys.schemas.js';
import { newModelKey } from './model-key-token.js';
import { NOBODY, readOwner } from './published-names.js';

export type RevokedKey = Propagated<KeyView> & { readonly strict?: StrictResult };

/** Lists, changes, rotates and revokes keys. */
@Injectable()
export class ModelApiKeysService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
  ) {}

  async get(principal: Principal, id: string): Promise<KeyView> {
    return keyView(await this.database.read((db) => readKey(db, principal, id)));
  }

  async list(principal: Principal, query: KeyQuery): Promise<Page<KeyView>> {
    const { limit, cursor, owner_id, model, ...filters } = query;
    const { after, take } = pageById({ limit, cursor });
    const owned = owner_id === undefined ? {} : { session_owner: owner_id };
    const granting = model === undefined ? {} : { allowed_models: { array_contains: [model] } };
    const rows = await this.database.read((db) =>
      db.modelApiKey.findMany({
        where: { AND: [projectFilter(principal), filters, owned, granting, after] },
        orderBy: { id: 'asc' },
        take,
      }),
    );
    return toPage(rows, limit, (row) => row.id, keyView);
  }

  async patch(context: RequestContext, id: string, input: PatchKey): Promise<Propagated<KeyView>> {
    requireFuture(input.expires_at);
    return this.changes.apply(context, async (tx) => {
      const before = await lockKey(tx, context.principal, id);
      requireActive(before);
      requireNarrower(before, input.allowed_models);
      const row = await updateKey(tx, id, columnsOf(input));
      return {
        view: keyView(row),
        audit: [keyAudit('model-api-key.update', row, { ...input })],
        dirty: [dirtyKey(row)],
      };
    });
  }

  /** One write swaps the hash: the old key stops where the new one starts. Grants may be issued anew with it. */
  async rotate(context: RequestContext, id: string, input: RotateKey): Promise<IssuedKey> {
    const { plaintext, token_hash, display_hint } = newModelKey();
    return this.changes.apply(context, async (tx) => {
      const before = await lockKey(tx, context.principal, id);
      requireActive(before);
      const grants = await this.#reissue(tx, before, input);
      const row = await updateKey(tx, id, { token_hash, display_hint, ...grants });
      return {
        view: { ...keyView(row), key: plaintext },
        audit: [keyAudit('model-api-key.rotate', row, { ...input })],
        dirty: [dirtyKey(row)],
      };
    });
  }

  /** Repeating it is allowed: a strict repetition asks the nodes for their acknowledgement again. */
  async revoke(context: RequestContext, id: string, strict: boolean): Promise<RevokedKey> {
    return this.changes.apply(
      context,
      async (tx) => {
        const before = await lockKey(tx, context.principal, id);
        const active = before.status === 'ACTIVE';
        const row = active ? await updateKey(tx, id, { status: 'REVOKED', revoked_at: new Date() }) : before;
        return {
          view: keyView(row),
          audit: [keyAudit('model-api-key.revoke', row, { strict, repeated: !active })],
          dirty: [dirtyKey(row)],
        };
      },
      { strict },
    );
  }

  async #reissue(tx: Queries, before: ModelApiKey, { allowed_models }: RotateKey) {
    if (allowed_models === undefined) {
      if (!before.suspended) return {};
      throw new AppError(
        'model_key.no_models',
        'The key grants nothing any more. Name its models to issue it anew.',
      );
    }
    const owner = (await readOwner(tx, before.session_owner)) ?? NOBODY;
    await requireGrantable(tx, before.authority, owner, allowed_models);
    return { allowed_models: json(allowed_models), suspended: false };
  }
}

function requireActive(row: ModelApiKey): void {
  if (row.status !== 'ACTIVE') throw new AppError('model_key.revoked', 'The key is revoked.');
}

/** @throws AppError `model_key.model_not_available` for each name that would be added */
function requireNarrower(before: ModelApiKey, wanted: readonly string[] | undefined): void {
  if (wanted === undefined) return;
  const added = new Set(widenedBy(before.allowed_models as string[], wanted));
  const message = 'A change can only take names away. Rotate the key to grant more.';
  const problems = wanted
    .map((name, index) => ({ name, field: `allowed_models.${index}`, message }))
    .filter(({ name }) => added.has(name))
    .map(({ field }) => ({ field, message }));
  if (problems.length > 0) throw fieldProblems(problems, 'model_key.model_not_available');
}

function columnsOf(input: PatchKey) {
  const { expires_at, allowed_client_ips, attributes, allowed_models, ...rest } = input;
  return {
    ...rest,
    ...(expires_at !== undefined && { expires_at: expires_at === null ? null : new Date(expires_at) }),
    ...(allowed_client_ips !== undefined && { allowed_client_ips: jsonColumn(allowed_client_ips) }),
    ...(attributes !== undefined && { attributes: jsonColumn(attributes) }),
    ...(allowed_models !== undefined && { allowed_models: json(allowed_models) }),
  };
}
