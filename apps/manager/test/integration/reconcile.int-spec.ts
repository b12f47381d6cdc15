import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RoutesItem } from '@penstock/protocol';
import { eventually } from '@penstock/testkit';

import { ReconcileScheduler } from '../../src/features/reconcile/index.js';
import type { ApiClient } from '../support/api-client.js';
import {
  issueKey,
  makeDeployment,
  makeProject,
  makePublication,
  makeUser,
  unique,
} from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

describe('reconciliation', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let projectId: string;
  const reconcile = () => harness.get(ReconcileScheduler).runOnce();

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    projectId = await makeProject(admin);
  });
  afterAll(() => harness.dispose());

  it('pushes nothing when both sides agree', async () => {
    const deployment = await makeDeployment(admin, projectId, {
      served_model: 'm',
      capabilities: ['chat'],
      policy: { a: 1 },
      requires_token: false,
      allowed_client_ips: ['10.0.0.0/8', '::1'],
      replicas: [
        { host: '10.0.0.1', port: 1, weight: 0.5, accelerators: { model: 'H100', count: 2 } },
        { host: '10.0.0.2', port: 1 },
      ],
    });
    const { name } = await makePublication(admin, projectId, {
      mappings: [{ deployment_id: deployment.id, ratio: 0.5 }],
      aliases: [unique('alias')],
      policy: { b: 2 },
      control_mode: 'strategy-managed',
    });
    await issueKey(admin, projectId, [name], {
      expires_at: '2999-01-01T00:00:00+09:00',
      rate_limit: 1,
      attributes: { a: 1 },
      allowed_client_ips: ['10.0.0.0/8'],
    });
    await makePublication(admin, projectId);
    await issueKey(admin, projectId, [name]);
    const upstream = await makeDeployment(admin, projectId, { visibility: 'internal' });
    await makeDeployment(admin, projectId, { upstream_deployment_id: upstream.id });
    const before = harness.coordinator.requests.length;
    await reconcile();
    const after = harness.coordinator.requests.slice(before);
    expect(after.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('repairs what was lost, changed or brought back on the coordinator', async () => {
    const deployment = await makeDeployment(admin, projectId);
    const lost = await makePublication(admin, projectId);
    const changed = await makePublication(admin, projectId, { aliases: [unique('alias')] });
    const removed = await makePublication(admin, projectId);
    const lostKey = await issueKey(admin, projectId, [lost.name]);
    const changedKey = await issueKey(admin, projectId, [lost.name]);
    const revoked = await issueKey(admin, projectId, [lost.name]);
    const { models, keys, routes, endpoints } = harness.coordinator;
    const oldModel = models.get(removed.name);
    const oldKey = keys.get(revoked.id);
    await admin.delete(`/api/v1/publications/${removed.id}`);
    await admin.delete(`/api/v1/model-api-keys/${revoked.id}`);
    if (oldModel === undefined || oldKey === undefined) throw new Error('nothing was pushed');
    models.delete(lost.name);
    models.set(changed.name, { ...oldModel, aliases: [] });
    models.set(removed.name, oldModel);
    keys.delete(lostKey.id);
    keys.set(changedKey.id, { ...oldKey, rate_limit: 99 });
    keys.set(revoked.id, oldKey);
    routes.delete(deployment.id);
    endpoints.delete(deployment.id);
    await reconcile();
    await eventually(() => {
      expect(models.has(lost.name)).toBe(true);
      expect(models.get(changed.name)?.aliases).toEqual(changed.aliases);
      expect(models.has(removed.name)).toBe(false);
      expect(keys.has(lostKey.id)).toBe(true);
      expect(keys.get(changedKey.id)?.rate_limit).toBeNull();
      expect(keys.has(revoked.id)).toBe(false);
      expect(routes.has(deployment.id)).toBe(true);
    });
  });

  it('repairs who may reach a deployment, and what it calls', async () => {
    const upstream = await makeDeployment(admin, projectId);
    const [inside, token, ips] = [
      await makeDeployment(admin, projectId, { visibility: 'internal' }),
      await makeDeployment(admin, projectId),
      await makeDeployment(admin, projectId, { allowed_client_ips: ['10.0.0.0/8'] }),
    ];
    const bound = await makeDeployment(admin, projectId, { upstream_deployment_id: upstream.id });
    const { routes } = harness.coordinator;
    const edit = (id: string, fields: Partial<RoutesItem>) => {
      const item = routes.get(id);
      if (item === undefined) throw new Error('nothing was pushed');
      routes.set(id, { ...item, ...fields });
    };
    edit(inside.id, { visibility: 'public' });
    edit(token.id, { requires_token: false });
    edit(ips.id, { allowed_client_ips: null });
    edit(bound.id, { upstream_endpoint_id: null });
    await reconcile();
    await eventually(() => {
      expect(routes.get(inside.id)?.visibility).toBe('internal');
      expect(routes.get(token.id)?.requires_token).toBe(true);
      expect(routes.get(ips.id)?.allowed_client_ips).toBe('10.0.0.0/8');
      expect(harness.coordinator.upstreamOf(bound.id)).toBe(upstream.id);
    });
  });

  it('repairs deployments of a worker that has no publications and no keys', async () => {
    const { id } = await makeDeployment(admin, projectId);
    harness.coordinator.frontendMode = 'wildcard';
    harness.coordinator.routes.delete(id);
    await reconcile();
    await eventually(() => expect(harness.coordinator.routes.has(id)).toBe(true));
    const { body } = await admin.get('/api/v1/routers');
    expect(body).toMatchObject({ items: [] });
    harness.coordinator.frontendMode = 'router';
  });

  /** Such a worker never pulls: an event that it missed stays missed until the coordinator announces once more. */
  it('pushes deployments of a worker that is no router again every so often, though nothing differs', async () => {
    const pushes = () => harness.coordinator.requestsTo(/^POST .*\/routes/).length;
    const quiet = harness.logLines.filter((line) => line.includes('the coordinator differs')).length;
    await makeDeployment(admin, projectId);
    const other = await harness.startAnother({ route_repeat_interval_ms: 250 });
    const often = () => other.app.get(ReconcileScheduler).runOnce();
    await often();
    const before = pushes();
    await often();
    expect(pushes()).toBe(before);
    harness.coordinator.frontendMode = 'wildcard';
    await often();
    await eventually(() => expect(pushes()).toBeGreaterThan(before));
    const once = pushes();
    await eventually(async () => {
      await often();
      expect(pushes()).toBeGreaterThan(once);
    });
    harness.coordinator.frontendMode = 'router';
    await other.stop();
    const noticed = harness.logLines.filter((line) => line.includes('the coordinator differs'));
    expect(noticed).toHaveLength(quiet);
  });

  it('leaves alone what it never made', async () => {
    const foreign = unique('foreign');
    harness.coordinator.models.set(foreign, { aliases: [], mappings: [], control_mode: 'manual' });
    await reconcile();
    expect(harness.coordinator.models.has(foreign)).toBe(true);
  });

  it('takes grants away that the owner of a key lost with a role, and never gives them back', async () => {
    const shared = await makeProject(admin);
    const { name: lost } = await makePublication(admin, shared);
    const { name: kept } = await makePublication(admin, projectId);
    const user = await makeUser(admin, { projectId, role: 'member' });
    const membership = `/api/v1/projects/${shared}/members/${user.id}`;
    await admin.put(membership, { role: 'viewer' });
    const both = await issueKey(harness.as(user.token), projectId, [lost, kept]);
    const one = await issueKey(harness.as(user.token), projectId, [lost]);
    await admin.delete(membership);
    await reconcile();
    await eventually(() => {
      expect(harness.coordinator.keys.get(both.id)?.allowed_models).toEqual([kept]);
      expect(harness.coordinator.keys.has(one.id)).toBe(false);
    });
    await admin.put(membership, { role: 'viewer' });
    await reconcile();
    const row = await admin.get(`/api/v1/model-api-keys/${both.id}`);
    const suspended = await admin.get(`/api/v1/model-api-keys/${one.id}`);
    expect(row.body).toMatchObject({ allowed_models: [kept] });
    expect(suspended.body).toMatchObject({ status: 'ACTIVE', suspended: true });
    const logs = await admin.get(`/api/v1/audit-logs?target_id=${both.id}&action=model-api-key.shrink`);
    expect(logs.body).toMatchObject({ items: [{ actor_name: 'system', actor_id: null }] });
  });

  it('pushes a rotation again whose push was never answered, although the listings look alike', async () => {
    const { name } = await makePublication(admin, projectId);
    const key = await issueKey(admin, projectId, [name]);
    const before = harness.coordinator.keys.get(key.id);
    if (before === undefined) throw new Error('nothing was pushed');
    await harness.coordinator.stop();
    await admin.post(`/api/v1/model-api-keys/${key.id}/rotate`);
    await harness.coordinator.start();
    await reconcile();
    await eventually(() =>
      expect(harness.coordinator.keys.get(key.id)?.token_hash).not.toBe(before.token_hash),
    );
    const row = await admin.get(`/api/v1/model-api-keys/${key.id}`);
    expect(row.body).toMatchObject({ pushed_revision: expect.any(String) });
  });

  it('goes on after a round in which the coordinator was away', async () => {
    await harness.coordinator.stop();
    await reconcile();
    await harness.coordinator.start();
    await reconcile();
    expect((await admin.get('/api/v1/routers')).status).toBe(200);
  });
});
