import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';
import { Redis } from 'ioredis';
import { Client } from 'pg';

import { call } from '../support/http.ts';
import { ModelFixture } from '../support/model-fixture.ts';
import { RouterApi } from '../support/router-api.ts';
import { sharedStack } from '../support/shared-stack.ts';

const stack = sharedStack();
const traffic: string[] = [];
const bodies: string[] = [];
let redis: Redis;
let monitor: Redis;
let fixture: ModelFixture;
/** Plaintexts that were issued, rotated, revoked and misused while everything was watched. */
const canaries: string[] = [];

beforeAll(async () => {
  redis = new Redis(String(stack.configOf('coordinator')['redis_url']));
  monitor = await redis.monitor();
  monitor.on('monitor', (_time: string, args: string[]) => traffic.push(args.join(' ')));
  fixture = await ModelFixture.create(stack, [{ ratio: 1, replicas: 1 }]);
  canaries.push(fixture.key);
  await useKeysInEveryWay();
}, 60_000);
afterAll(async () => {
  monitor.disconnect();
  redis.disconnect();
  await fixture.stop();
});

async function useKeysInEveryWay(): Promise<void> {
  const { manager, projectId, name, router } = fixture;
  const issued = await manager.issueKey(projectId, [name]);
  const rotated = await manager.rotateKey(issued.id);
  const limited = await manager.issueKey(projectId, [name], { rate_limit: 1 });
  canaries.push(issued.key, rotated.key, limited.key);
  await eventually(async () => expect((await router.chat(rotated.key, name)).status).toBe(200));
  for (const key of [rotated.key, issued.key, limited.key, limited.key, limited.key])
    for (const model of [name, 'no-such-model', '']) bodies.push((await router.chat(key, model)).text);
  await misuse(rotated.key);
  await manager.revokeKey(issued.id);
  await manager.revokeKey(limited.id);
  bodies.push((await router.chat(rotated.key, name)).text);
  for (const path of ['/model-api-keys', `/model-api-keys/${issued.id}`, '/audit-logs'])
    bodies.push((await manager.raw(path)).text);
}

/** Keys where they do not belong: the wrong scheme, the wrong service, the query, the body. */
async function misuse(key: string): Promise<void> {
  const { router, manager } = fixture;
  const attempts = [
    call(`${router.baseUrl}/models?api_key=${key}`),
    call(`${router.baseUrl}/chat/completions?key=${key}`, { body: { model: fixture.name, messages: [] } }),
    call(`${stack.info.manager_url}/api/v1/projects?token=${key}`),
    call(`${stack.info.coordinator_url}/api/worker?token=${key}`),
    call(`${router.baseUrl}/models`, { headers: { authorization: `Basic ${key}` } }),
    call(`${router.baseUrl}/models`, { headers: { 'x-api-key': `${key}x` } }),
    call(`${router.baseUrl}/nothing`, { headers: { authorization: `Bearer ${key}` } }),
    call(`${router.baseUrl}/chat/completions`, { body: '{', headers: { authorization: `Bearer ${key}` } }),
    call(`${stack.info.manager_url}/api/v1/projects`, { headers: { authorization: `Bearer ${key}` } }),
    call(`${stack.info.coordinator_url}/api/worker`, { headers: { 'x-backendai-token': key } }),
    manager.raw('/model-api-keys', { method: 'POST', body: { allowed_models: [], expires_at: 'never' } }),
  ];
  bodies.push(...(await Promise.all(attempts)).map(({ text }) => text));
}

/** Only the start of a hit is shown, so that a failing test does not leak the key either. */
function expectClean(place: string, text: string): void {
  const found = canaries.filter((canary) => text.includes(canary)).map((canary) => `${canary.slice(0, 6)}…`);
  expect({ place, found }).toEqual({ place, found: [] });
}

describe('a plaintext key is nowhere but in the answer that issued it', () => {
  it('has been issued, used and revoked', () => {
    expect(canaries).toHaveLength(4);
    expect(canaries.every((canary) => canary.startsWith('sk-'))).toBe(true);
  });

  it('not in the databases', async () => {
    for (const service of ['coordinator', 'manager'] as const) {
      const dump = await dumpDatabase(String(stack.configOf(service)['database_url']));
      expect(dump.length).toBeGreaterThan(1_000);
      expectClean(`${service} database`, dump);
    }
  });

  it('not in the Redis traffic, nor its hash', async () => {
    expect(traffic.length).toBeGreaterThan(10);
    expectClean('Redis', traffic.join('\n'));
    const hashes = await tokenHashes();
    expect(hashes.length).toBeGreaterThan(0);
    expect(hashes.filter((hash) => traffic.some((line) => line.includes(hash)))).toEqual([]);
  });

  it('not in error bodies, listings, metrics or status', async () => {
    expectClean('bodies', bodies.join('\n'));
    for (const info of stack.info.routers) {
      const router = new RouterApi(info);
      expectClean('router metrics', await router.metrics());
      expectClean('router status', JSON.stringify(await router.status()));
    }
    for (const url of [`${stack.info.manager_url}/metrics`, `${stack.info.coordinator_url}/metrics`])
      expectClean(url, (await call(url)).text);
  });

  it('not in the arguments or environment of any process', () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      for (const file of ['cmdline', 'environ']) {
        if (Number(pid) === process.pid) continue;
        expectClean(`/proc/${pid}/${file}`, readIfThere(`/proc/${pid}/${file}`));
      }
  });

  it('not in the data directory, logs at debug level included', () => {
    const files = filesBelow(stack.dataDir).filter((file) => !file.endsWith('/credentials.json'));
    expect(files.some((file) => file.includes('/logs/'))).toBe(true);
    for (const file of files) expectClean(file, readIfThere(file));
    for (const service of ['router-1', 'router-2', 'coordinator', 'manager'])
      expect(stack.configOf(service)['log_level']).toBe('debug');
  });

  it('the demo key is in credentials.json alone, which only its owner can read', () => {
    const { mode } = statSync(join(stack.dataDir, 'credentials.json'));
    expect(mode & 0o777).toBe(0o600);
    const files = filesBelow(stack.dataDir).filter((file) => readIfThere(file).includes(stack.info.api_key));
    expect(files.map((file) => file.slice(stack.dataDir.length + 1))).toEqual(['credentials.json']);
  });
});

async function dumpDatabase(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'`,
  );
  const tables = [];
  for (const { name } of rows) tables.push((await client.query(`select t::text from ${name} t`)).rows);
  await client.end();
  return JSON.stringify(tables);
}

async function tokenHashes(): Promise<string[]> {
  const dump = await dumpDatabase(String(stack.configOf('coordinator')['database_url']));
  return [...dump.matchAll(/\b[0-9a-f]{64}\b/g)].map(([hash]) => hash);
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Files of a running stack come and go. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
