import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPrismaAdapter } from '@penstock/database';

import { PrismaClient } from '../../src/generated/prisma/client.js';
import { Database } from '../../src/features/storage/index.js';
import { RotationScheduler } from '../../src/features/upstream-bindings/index.js';
import type { ApiClient } from '../support/api-client.js';
import {
  issueKey,
  makeDeployment,
  type IssuedKey,
  makeProject,
  makePublication,
  makeUser,
  unique,
} from '../support/builders.js';
import { ENCRYPTION_KEY, ManagerHarness } from '../support/manager-harness.js';

describe('secrets', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
  });
  afterAll(() => harness.dispose());

  it('are nowhere but in the one answer that issued them', async () => {
    const projectId = await makeProject(admin);
    const { name } = await makePublication(admin, projectId);
    const headers = { 'idempotency-key': unique('key') };
    const body = { project_id: projectId, allowed_models: [name] };
    const first = await admin.post<IssuedKey>('/api/v1/model-api-keys', body, { headers });
    await admin.post<IssuedKey>('/api/v1/model-api-keys', body, { headers });
    const rotated = await admin.post<IssuedKey>(`/api/v1/model-api-keys/${first.body.id}/rotate`);
    const second = await issueKey(admin, projectId, [name]);
    const { token } = await makeUser(admin, { projectId, role: 'viewer' });
    const secrets = [first.body.key, rotated.body.key, second.key, token, harness.adminToken].map(String);
    const metrics = await (await fetch(`${harness.url}/metrics`)).text();
    const places = {
      database: await everyRow(harness.databaseUrl),
      logs: harness.logLines.join(''),
      coordinator: JSON.stringify(harness.coordinator.requests),
      metrics,
    };
    for (const [place, text] of Object.entries(places)) {
      expect(text.length).toBeGreaterThan(0);
      for (const secret of secrets) expect([place, text.includes(secret)]).toEqual([place, false]);
    }
  });

  it('of deployments are in the answers that hand them out, and in the database under lock', async () => {
    const projectId = await makeProject(admin);
    const upstream = await makeDeployment(admin, projectId, { visibility: 'internal' });
    const { id } = await makeDeployment(admin, projectId, { upstream_deployment_id: upstream.id });
    const path = `/api/v1/deployments/${id}`;
    await admin.post(`${path}/tokens`, {}, { headers: { 'idempotency-key': unique('key') } });
    await admin.get(`${path}/service-environment`);
    await rotateNow(harness, id);
    // A coordinator that answers something else must not get its answer into a log or an error either.
    const canary = 'canary-token-of-a-broken-answer';
    harness.coordinator.script(({ path: asked }) =>
      asked.endsWith('/token') ? { status: 200, body: { tokens: [canary] } } : undefined,
    );
    const broken = await admin.post(`${path}/tokens`);
    await rotateNow(harness, id);
    harness.coordinator.clearRules();
    const tokens = harness.coordinator.minted.map(({ token }) => token);
    expect(tokens).toHaveLength(3);
    const rows = await everyRow(harness.databaseUrl);
    const places = {
      database: rows,
      bytes: rows.replace(/\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('latin1')),
      logs: harness.logLines.join(''),
      answer: JSON.stringify(broken.body),
      documentation: await (await fetch(`${harness.url}/openapi.json`)).text(),
      metrics: await (await fetch(`${harness.url}/metrics`)).text(),
    };
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [...tokens, canary, ENCRYPTION_KEY]) {
        expect([place, text.includes(secret)]).toEqual([place, false]);
      }
    }
  });

  it('hand the first admin token over in a file of its owner only, and keep its hash', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'penstock-manager-'));
    const file = join(directory, 'admin-token');
    const own = await ManagerHarness.start({
      config: { admin_token: undefined, admin_token_output_file: file },
    });
    try {
      const token = (await readFile(file, 'utf8')).trim();
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(token).toMatch(/^pst_[A-Za-z0-9_-]{43}$/);
      expect((await own.as(token).get('/api/v1/users')).status).toBe(200);
      expect(await everyRow(own.databaseUrl)).not.toContain(token);
      await own.stopManager();
      await own.startManager({ admin_token: undefined, admin_token_output_file: file });
      expect((await readFile(file, 'utf8')).trim()).toBe(token);
      expect((await own.as(token).get('/api/v1/users')).status).toBe(200);
    } finally {
      await own.dispose();
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('follow the configured admin token when it changes', async () => {
    const token = unique('another-admin-token');
    const old = harness.adminToken;
    await harness.stopManager();
    await harness.startManager({ admin_token: token });
    expect((await harness.as(token).get('/api/v1/users')).status).toBe(200);
    expect((await harness.as(old).get('/api/v1/users')).status).toBe(401);
    await harness.stopManager();
    await harness.startManager();
  });
});

async function rotateNow(harness: ManagerHarness, deployment_id: string): Promise<void> {
  const data = { next_rotation_at: new Date(0) };
  await harness.get(Database).read((db) => db.upstreamBinding.update({ where: { deployment_id }, data }));
  await harness.get(RotationScheduler).runOnce();
}

async function everyRow(url: string): Promise<string> {
  const client = new PrismaClient({ adapter: createPrismaAdapter(url) });
  try {
    const tables = await client.$queryRaw<{ name: string }[]>`
      SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = 'public'`;
    const dumps: string[] = [];
    for (const { name } of tables) {
      const rows = await client.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM "${name}" t`);
      dumps.push(...rows.map(({ row }) => row));
    }
    return dumps.join('\n');
  } finally {
    await client.$disconnect();
  }
}
