import { writeFile } from 'node:fs/promises';

import type { Logger } from '@penstock/observability';

import { newId } from '../../new-id.js';
import type { Database, Queries } from '../storage/index.js';
import { describeApiToken, newApiToken, type NewToken } from './api-token.js';

export const DEFAULT_DOMAIN = 'default';

const ADMIN_NAME = 'admin';

export interface BootstrapOptions {
  /** The operator's own token; unset, one is made when there is none yet. */
  readonly adminToken: string | null;
  /** Where a token that was made is written, mode 0600; unset, it is shown once on standard error. */
  readonly outputFile: string | null;
}

/**
 * Makes sure someone can get in: the default domain, the user `admin` and its bootstrap token. Safe for any number
 * of starters at once, because the domain row is locked first.
 */
export async function bootstrapAdmin(
  database: Database,
  options: BootstrapOptions,
  logger: Pick<Logger, 'info'>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockDefaultDomain(tx);
    const admin = await ensureAdmin(tx);
    const existing = await tx.apiToken.findFirst({ where: { user_id: admin.id, is_bootstrap: true } });
    const token = chooseToken(options.adminToken, existing?.token_hash ?? null);
    if (token === null) return;
    await tx.apiToken.deleteMany({ where: { user_id: admin.id, is_bootstrap: true } });
    await storeToken(tx, admin.id, token);
    // Before the commit: a token that could not be handed over must not be the only one there is.
    if (options.adminToken === null) await handOver(token.plaintext, options.outputFile);
    logger.info({ hint: token.hint }, 'bootstrap admin token stored');
  });
}

async function lockDefaultDomain(tx: Queries): Promise<void> {
  await tx.$executeRaw`INSERT INTO domains (name) VALUES (${DEFAULT_DOMAIN}) ON CONFLICT DO NOTHING`;
  await tx.$queryRaw`SELECT name FROM domains WHERE name = ${DEFAULT_DOMAIN} FOR UPDATE`;
}

async function ensureAdmin(tx: Queries): Promise<{ id: string }> {
  const existing = await tx.user.findUnique({ where: { name: ADMIN_NAME } });
  if (existing !== null) return existing;
  return tx.user.create({
    data: { id: newId(), domain: DEFAULT_DOMAIN, name: ADMIN_NAME, is_admin: true },
  });
}

/** Null when what is stored is right already. */
function chooseToken(configured: string | null, storedHash: string | null): NewToken | null {
  if (configured === null) return storedHash === null ? newApiToken() : null;
  const token = describeApiToken(configured);
  return token.hash === storedHash ? null : token;
}

async function storeToken(tx: Queries, userId: string, token: NewToken): Promise<void> {
  await tx.apiToken.create({
    data: {
      id: newId(),
      user_id: userId,
      domain: DEFAULT_DOMAIN,
      name: 'bootstrap',
      token_hash: token.hash,
      display_hint: token.hint,
      is_bootstrap: true,
    },
  });
}

async function handOver(token: string, outputFile: string | null): Promise<void> {
  if (outputFile === null) process.stderr.write(`Admin token (shown once): ${token}\n`);
  else await writeFile(outputFile, `${token}\n`, { mode: 0o600 });
}
