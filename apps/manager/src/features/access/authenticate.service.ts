import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@penstock/protocol';

import { Database } from '../storage/index.js';
import { hashApiToken } from './api-token.js';
import type { Principal } from './domain/principal.js';
import { isRole, type Role } from './domain/roles.js';

const BEARER = /^bearer +([\x21-\x7e]{1,512})$/i;

/**
 * Finds the user of an API token. Reads the database for every request: a revoked token or a lost role must not
 * live on in a cache.
 */
@Injectable()
export class AuthenticateService {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** @throws AppError `auth.missing_token` or `auth.invalid_token` */
  async authenticate(authorization: string | undefined): Promise<Principal> {
    const token = BEARER.exec(authorization ?? '')?.[1];
    if (token === undefined) {
      throw new AppError('auth.missing_token', 'Send an API token as "Authorization: Bearer <token>".');
    }
    const row = await this.database.read((db) =>
      db.apiToken.findUnique({
        where: { token_hash: hashApiToken(token) },
        include: { user: { include: { memberships: true } } },
      }),
    );
    if (row === null || isExpired(row.expires_at)) throw invalidToken();
    const { user } = row;
    return {
      userId: user.id,
      name: user.name,
      domain: user.domain,
      isAdmin: user.is_admin,
      roles: rolesOf(user.memberships),
    };
  }
}

function rolesOf(memberships: readonly { project_id: string; role: string }[]): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  for (const { project_id, role } of memberships) if (isRole(role)) roles.set(project_id, role);
  return roles;
}

function isExpired(expiresAt: Date | null): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}

function invalidToken(): AppError {
  return new AppError('auth.invalid_token', 'The API token is unknown, revoked or expired.');
}
