import { Inject, Injectable } from '@nestjs/common';

import { newId } from '../../new-id.js';
import type { ApiToken, User } from '../../generated/prisma/client.js';
import { fieldProblem, notFound } from '../../problems.js';
import { newApiToken, type Principal, type RequestContext } from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import { ChangeService } from '../changes/index.js';
import { type Page, pageById, toPage } from '../listing/index.js';
import { Database } from '../storage/index.js';
import type { CreateToken, TokenParams, TokenQuery } from './users.schemas.js';

type TokenView = Omit<ApiToken, 'token_hash' | 'is_bootstrap'>;

/** API tokens of one user, managed by that user and by global admins. For others they do not exist. */
@Injectable()
export class ApiTokensService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
  ) {}

  async issue(
    context: RequestContext,
    userId: string,
    input: CreateToken,
  ): Promise<TokenView & { token: string }> {
    const user = await this.#owner(context.principal, userId);
    const expiresAt = input.expires_at === null ? null : new Date(input.expires_at);
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
      throw fieldProblem('expires_at', 'This time has passed.');
    }
    const token = newApiToken();
    return this.changes.applyLocally(context, async (tx) => {
      const row = await tx.apiToken.create({
        data: {
          id: newId(),
          user_id: user.id,
          domain: user.domain,
          name: input.name,
          token_hash: token.hash,
          display_hint: token.hint,
          expires_at: expiresAt,
        },
      });
      return { view: { ...toView(row), token: token.plaintext }, audit: [auditOf('api-token.issue', row)] };
    });
  }

  async list(principal: Principal, userId: string, { limit, cursor }: TokenQuery): Promise<Page<TokenView>> {
    await this.#owner(principal, userId);
    const { after, take } = pageById({ limit, cursor });
    const rows = await this.database.read((db) =>
      db.apiToken.findMany({ where: { AND: [{ user_id: userId }, after] }, orderBy: { id: 'asc' }, take }),
    );
    return toPage(rows, limit, (row) => row.id, toView);
  }

  async revoke(context: RequestContext, params: TokenParams): Promise<{ id: string }> {
    await this.#owner(context.principal, params.id);
    return this.changes.applyLocally(context, async (tx) => {
      const row = await tx.apiToken.findFirst({ where: { id: params.tokenId, user_id: params.id } });
      if (row === null) throw notFound('token');
      await tx.apiToken.delete({ where: { id: row.id } });
      return { view: { id: row.id }, audit: [auditOf('api-token.revoke', row)] };
    });
  }

  async #owner(principal: Principal, userId: string): Promise<User> {
    if (!principal.isAdmin && principal.userId !== userId) throw notFound('user');
    const user = await this.database.read((db) => db.user.findUnique({ where: { id: userId } }));
    if (user === null) throw notFound('user');
    return user;
  }
}

function toView({ token_hash: _hash, is_bootstrap: _bootstrap, ...view }: ApiToken): TokenView {
  return view;
}

function auditOf(action: string, row: ApiToken): AuditEntry {
  return {
    action,
    targetKind: 'api-token',
    targetId: row.id,
    targetName: row.name,
    domain: row.domain,
    projectId: null,
    changes: { user_id: row.user_id, display_hint: row.display_hint },
  };
}
