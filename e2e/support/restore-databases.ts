import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import pg from 'pg';

import { REPOSITORY_ROOT } from './repository-root.ts';
import type { Stack } from './stack.ts';

/** What `facts.json` beside the dumps says. */
export interface ReleaseFacts {
  readonly project_id: string;
  readonly deployment_id: string;
  readonly publication_id: string;
  readonly model: string;
  readonly alias: string;
  readonly key: string;
  readonly revoked_key: string;
  readonly user_token: string;
  readonly replica_port: number;
  readonly pending_alias: string;
}

const directory = (release: string) => join(REPOSITORY_ROOT, 'e2e', 'fixtures', release);

export function readFacts(release: string): ReleaseFacts {
  return JSON.parse(readFileSync(join(directory(release), 'facts.json'), 'utf8')) as ReleaseFacts;
}

/** Puts a release's dumps in the place of a stack's databases. The services that use them must be stopped. */
export async function restoreDatabases(stack: Stack, release: string, replicaPort: number): Promise<void> {
  const { replica_port } = readFacts(release);
  for (const service of ['coordinator', 'manager']) {
    const dump = readFileSync(join(directory(release), `${service}.sql`), 'utf8');
    const sql = dump.replaceAll(String(replica_port), String(replicaPort));
    await replaceDatabase(String(stack.configOf(service)['database_url']), sql);
  }
}

async function replaceDatabase(url: string, sql: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  await withClient(maintenance.href, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  });
  await withClient(url, (client) => client.query(sql));
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
