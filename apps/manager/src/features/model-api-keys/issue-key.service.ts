import { Inject, Injectable } from '@nestjs/common';

import { newId } from '../../new-id.js';
import { DEFAULT_AUTHORITY } from '../../default-authority.js';
import type { ModelApiKey } from '../../generated/prisma/client.js';
import { fieldProblem, fieldProblems } from '../../problems.js';
import { canSee, type Principal, type RequestContext, requireRole } from '../access/index.js';
import { ChangeService, type Propagated } from '../changes/index.js';
import { json, jsonColumn, type Queries } from '../storage/index.js';
import { dirtyKey, keyAudit } from './key-rows.js';
import { keyView, type KeyView } from './key.view.js';
import type { IssueKey } from './model-api-keys.schemas.js';
import { newModelKey, type NewModelKey } from './model-key-token.js';
import { holdGrantable, type Owner, readOwner } from './published-names.js';

export type IssuedKey = Propagated<KeyView & { readonly key: string }>;

/** Issues keys. The plaintext is in this one answer; only its hash and its tail are kept. */
@Injectable()
export class IssueKeyService {
  constructor(
    @Inject(ChangeService) private readonly changes: ChangeService,
    @Inject(DEFAULT_AUTHORITY) private readonly defaultAuthority: string,
  ) {}

  async issue(context: RequestContext, input: IssueKey): Promise<IssuedKey> {
    const { principal } = context;
    if (!canSee(principal, input.project_id)) throw fieldProblem('project_id', 'There is no such project.');
    requireRole(principal, input.project_id, 'member');
    requireFuture(input.expires_at);
    const authority = input.authority ?? this.defaultAuthority;
    const token = newModelKey();
    return this.changes.apply(context, async (tx) => {
      const ownerId = input.owner_id ?? principal.userId;
      const owner = await requireOwner(tx, principal, input.project_id, ownerId);
      await requireGrantable(tx, authority, owner, input.allowed_models);
      const row = await insertKey(tx, input, authority, ownerId, token);
      return {
        view: { ...keyView(row), key: token.plaintext },
        audit: [keyAudit('model-api-key.issue', row, { ...input })],
        dirty: [dirtyKey(row)],
      };
    });
  }
}

/** @throws AppError `model_key.model_not_available` naming each name that may not be granted */
export async function requireGrantable(
  tx: Queries,
  authority: string,
  owner: Owner,
  names: readonly string[],
): Promise<void> {
  const grantable = await holdGrantable(tx, authority, owner, names);
  const problems = names
    .map((name, index) => ({ name, field: `allowed_models.${index}` }))
    .filter(({ name }) => !grantable.has(name))
    .map(({ field }) => ({ field, message: 'No published model of this name is visible to the owner.' }));
  if (problems.length > 0) throw fieldProblems(problems, 'model_key.model_not_available');
}

export function requireFuture(expiresAt: string | null | undefined): void {
  if (expiresAt != null && new Date(expiresAt).getTime() <= Date.now()) {
    throw fieldProblem('expires_at', 'This time has passed.');
  }
}

/** A key acts for its owner, so only an administrator of the project may issue one for somebody else. */
async function requireOwner(
  tx: Queries,
  principal: Principal,
  projectId: string,
  ownerId: string,
): Promise<Owner> {
  if (ownerId !== principal.userId) requireRole(principal, projectId, 'admin');
  const owner = await readOwner(tx, ownerId);
  if (owner === null || !(owner.isAdmin || owner.projectIds.includes(projectId))) {
    throw fieldProblem('owner_id', 'The project has no such member.');
  }
  return owner;
}

async function insertKey(
  tx: Queries,
  input: IssueKey,
  authority: string,
  ownerId: string,
  token: NewModelKey,
): Promise<ModelApiKey> {
  const project = await tx.project.findUnique({ where: { id: input.project_id } });
  if (project === null) throw fieldProblem('project_id', 'There is no such project.');
  return tx.modelApiKey.create({
    data: {
      id: newId(),
      token_hash: token.token_hash,
      display_hint: token.display_hint,
      name: input.name,
      authority,
      session_owner: ownerId,
      domain: project.domain,
      project_id: project.id,
      allowed_models: json(input.allowed_models),
      allowed_client_ips: jsonColumn(input.allowed_client_ips),
      attributes: jsonColumn(input.attributes),
      expires_at: input.expires_at === null ? null : new Date(input.expires_at),
      rate_limit: input.rate_limit,
    },
  });
}
