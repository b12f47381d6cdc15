import { createHash } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { Database } from '../../src/features/storage/index.js';
import type { AnyBody, ApiClient } from '../support/api-client.js';
import {
  type Deployment,
  makeDeployment,
  makeProject,
  makeUser,
  type MintedToken,
  type Page,
  type Problem,
  unique,
} from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

const DAY_MS = 86_400_000;

describe('access tokens of a deployment', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let projectId: string;
  let deployment: Deployment;
  const path = () => `/api/v1/deployments/${deployment.id}/tokens`;
  const mint = <T = MintedToken>(client: ApiClient, body?: AnyBody) => client.post<T>(path(), body);

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    projectId = await makeProject(admin);
    deployment = await makeDeployment(admin, projectId);
  });
  afterEach(() => harness.coordinator.clearRules());
  afterAll(() => harness.dispose());

  it('are minted by the coordinator, shown once, and kept as a hash', async () => {
    const expires_at = new Date(Date.now() + DAY_MS).toISOString();
    const { status, body } = await mint(admin, { expires_at });
    expect(status).toBe(201);
    expect(harness.coordinator.minted.at(-1)).toEqual({ endpointId: deployment.id, token: body.token });
    expect(Date.parse(body.expires_at)).toBe(Math.floor(Date.parse(expires_at) / 1_000) * 1_000);
    const listed = await admin.get<Page<MintedToken>>(path());
    const { token, ...rest } = body;
    expect(listed.body.items).toContainEqual(rest);
    const row = await harness
      .get(Database)
      .read((db) => db.deploymentToken.findUnique({ where: { id: body.id } }));
    expect(row?.token_hash).toBe(createHash('sha256').update(String(token)).digest('hex'));
  });

  it('live for thirty days unless the request names an end', async () => {
    const { body } = await mint(admin);
    const days = (Date.parse(body.expires_at) - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
  });

  it.each([
    [{ expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: '2999-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: 'soon' }, 'expires_at'],
    [{ user_id: '00000000-0000-7000-8000-000000000000' }, 'user_id'],
    [{ colour: 'red' }, 'colour'],
  ])('are not minted for %j', async (body, field) => {
    const before = harness.coordinator.minted.length;
    const refused = await mint<Problem>(admin, body);
    expect(refused.status).toBe(400);
    expect(refused.body.errors?.[0]?.field).toBe(field);
    expect(harness.coordinator.minted).toHaveLength(before);
  });

  it('are minted once for a repeated request, whose answer has no token any more', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const first = await admin.post<MintedToken>(path(), {}, { headers });
    const before = harness.coordinator.minted.length;
    const second = await admin.post<MintedToken>(path(), {}, { headers });
    expect(second.body).toEqual({ ...first.body, token: null });
    expect(harness.coordinator.minted).toHaveLength(before);
  });

  it('wait for the deployment to reach the coordinator', async () => {
    const made = await makeDeployment(admin, projectId);
    harness.coordinator.endpoints.delete(made.id);
    const answer = await admin.post<MintedToken>(`/api/v1/deployments/${made.id}/tokens`);
    expect(answer.status).toBe(201);
    expect(harness.coordinator.endpoints.has(made.id)).toBe(true);
  });

  it('cannot be minted while the coordinator is away, or has no worker for the deployment', async () => {
    const noWorker = { status: 503, body: { type: 'x', title: 'Worker not available.' } };
    const made = await makeDeployment(admin, projectId);
    harness.coordinator.endpoints.delete(made.id);
    harness.coordinator.script(({ method, path: asked }) =>
      method === 'POST' && asked.startsWith('/v2/endpoints/bulk') ? noWorker : undefined,
    );
    const unplaced = await admin.post<Problem>(`/api/v1/deployments/${made.id}/tokens`);
    harness.coordinator.clearRules();
    await harness.coordinator.stop();
    const away = await mint<Problem>(admin);
    await harness.coordinator.start();
    for (const { body, headers } of [unplaced, away]) {
      expect(body).toMatchObject({ status: 503, code: 'coordinator.unavailable' });
      expect(headers.get('retry-after')).toBe('2');
    }
    expect(unplaced.body.detail).toContain('no worker');
  });

  it('say so when the coordinator has no secret to sign with', async () => {
    const body = { type: 'server-misconfigured', title: 'E00001: Service misconfigured.', msg: 'jwt_secret' };
    harness.coordinator.script(({ path: asked }) =>
      asked.endsWith('/token') ? { status: 500, body } : undefined,
    );
    const refused = await mint<Problem>(admin);
    expect(refused.body).toMatchObject({ status: 502, code: 'coordinator.refused' });
    expect(refused.body.detail).toContain('jwt_secret');
  });

  it('say so when the coordinator will not mint', async () => {
    harness.coordinator.script(({ path: asked }) =>
      asked.endsWith('/token') ? { status: 400, body: { type: 'x', title: 'no' } } : undefined,
    );
    expect((await mint<Problem>(admin)).body).toMatchObject({ status: 502, code: 'coordinator.refused' });
  });

  it('are forgotten by deleting them, which revokes nothing, and go with their deployment', async () => {
    const own = await makeDeployment(admin, projectId);
    const tokens = `/api/v1/deployments/${own.id}/tokens`;
    const first = await admin.post<MintedToken>(tokens);
    await admin.post<MintedToken>(tokens);
    expect((await admin.delete(`${tokens}/${first.body.id}`)).status).toBe(200);
    expect((await admin.delete(`${tokens}/${first.body.id}`)).status).toBe(404);
    expect((await admin.get<Page<object>>(tokens)).body.items).toHaveLength(1);
    await admin.delete(`/api/v1/deployments/${own.id}`);
    const left = await harness
      .get(Database)
      .read((db) => db.deploymentToken.count({ where: { deployment_id: own.id } }));
    expect(left).toBe(0);
  });

  it('leave a trace in the audit log, without the token', async () => {
    const { body } = await mint(admin);
    await admin.delete(`${path()}/${body.id}`);
    const actions = ['deployment.mint-token', 'deployment.delete-token'];
    for (const action of actions) {
      const logs = await admin.get<Page<AnyBody>>(
        `/api/v1/audit-logs?target_id=${deployment.id}&action=${action}&limit=200`,
      );
      expect(logs.body.items.at(-1)).toMatchObject({ changes: { id: body.id, user_id: body.user_id } });
      expect(JSON.stringify(logs.body)).not.toContain(String(body.token));
    }
  });

  it('are for members; for others an administrator of the project mints and deletes them', async () => {
    const viewer = await makeUser(admin, { projectId, role: 'viewer' });
    const member = await makeUser(admin, { projectId, role: 'member' });
    const chief = await makeUser(admin, { projectId, role: 'admin' });
    const outsider = await makeUser(admin);
    expect((await mint(harness.as(outsider.token))).status).toBe(404);
    expect((await mint(harness.as(viewer.token))).status).toBe(403);
    const own = await mint(harness.as(member.token));
    expect(own.body).toMatchObject({ user_id: member.id });
    expect((await mint(harness.as(member.token), { user_id: viewer.id })).status).toBe(403);
    const given = await mint(harness.as(chief.token), { user_id: viewer.id });
    expect(given.body).toMatchObject({ user_id: viewer.id });
    expect((await mint(harness.as(chief.token), { user_id: outsider.id })).status).toBe(400);
    expect((await harness.as(viewer.token).get(path())).status).toBe(200);
    expect((await harness.as(member.token).delete(`${path()}/${given.body.id}`)).status).toBe(403);
    expect((await harness.as(chief.token).delete(`${path()}/${own.body.id}`)).status).toBe(200);
  });
});
