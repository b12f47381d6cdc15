import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import type { AnyBody, ApiClient } from '../support/api-client.js';
import {
  bind,
  type BoundUpstream,
  type Deployment,
  type Environment,
  makeDeployment,
  makeProject,
  makeUser,
  type Page,
  type Problem,
} from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

describe('the upstream of a deployment', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let projectId: string;
  const pathOf = (id: string, part = 'upstream') => `/api/v1/deployments/${id}/${part}`;
  const make = (fields: AnyBody = {}) => makeDeployment(admin, projectId, { replicas: [], ...fields });
  const tryBind = (client: ApiClient, id: string, upstream_deployment_id: string) =>
    client.put<Problem>(pathOf(id), { upstream_deployment_id });
  const lineage = async (id: string, client = admin) => (await client.get(pathOf(id, 'lineage'))).body;

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    projectId = await makeProject(admin);
  });
  afterEach(() => harness.coordinator.clearRules());
  afterAll(() => harness.dispose());

  it('is set, pushed and given a token before the request returns', async () => {
    const [upstream, downstream] = [await make({ visibility: 'internal' }), await make()];
    const bound = await bind(admin, downstream.id, upstream.id);
    expect(bound).toMatchObject({
      deployment_id: downstream.id,
      upstream_deployment_id: upstream.id,
      rotation_interval_s: 86_400,
      token_state: 'current',
      propagation: { status: 'applied' },
    });
    const issued = Date.parse(String(bound.issued_at));
    expect(Date.parse(bound.next_rotation_at) - issued).toBe(86_400_000);
    expect(Date.parse(String(bound.expires_at)) - issued).toBeGreaterThanOrEqual(2 * 86_400_000);
    expect(harness.coordinator.upstreamOf(downstream.id)).toBe(upstream.id);
    const { body } = await admin.get<BoundUpstream>(pathOf(downstream.id));
    const { propagation: _propagation, ...rest } = bound;
    expect(body).toEqual(rest);
    const read = await admin.get<Deployment>(`/api/v1/deployments/${downstream.id}`);
    expect(read.body.upstream_deployment_id).toBe(upstream.id);
  });

  it('can be named when the deployment is made', async () => {
    const upstream = await make({ visibility: 'internal' });
    const made = await make({ upstream_deployment_id: upstream.id });
    expect(made.upstream_deployment_id).toBe(upstream.id);
    expect(harness.coordinator.endpoints.get(made.id)?.upstream_endpoint_id).toBe(upstream.id);
    const { body } = await admin.get<Environment>(pathOf(made.id, 'service-environment'));
    expect(body.variables).toEqual({
      BACKENDAI_UPSTREAM_URL: upstream.url,
      BACKENDAI_UPSTREAM_TOKEN: harness.coordinator.minted.at(-1)?.token,
    });
  });

  it('is taken away, after which there is nothing to read', async () => {
    const [upstream, downstream] = [await make(), await make()];
    await bind(admin, downstream.id, upstream.id);
    const unbound = await admin.delete(pathOf(downstream.id));
    expect(unbound.body).toMatchObject({ upstream_deployment_id: null, propagation: { status: 'applied' } });
    expect(harness.coordinator.upstreamOf(downstream.id)).toBeNull();
    expect((await admin.get(pathOf(downstream.id))).status).toBe(404);
    expect((await admin.delete(pathOf(downstream.id))).status).toBe(404);
    const environment = await admin.get<Environment>(pathOf(downstream.id, 'service-environment'));
    expect(environment.body).toEqual({
      deployment_id: downstream.id,
      variables: {},
      issued_at: null,
      expires_at: null,
      next_rotation_at: null,
    });
  });

  it('may be exchanged for another, whose token replaces the old one', async () => {
    const [first, second, downstream] = [await make(), await make(), await make()];
    await bind(admin, downstream.id, first.id);
    const bound = await bind(admin, downstream.id, second.id, { rotation_interval_s: 60 });
    expect(bound).toMatchObject({ upstream_deployment_id: second.id, rotation_interval_s: 60 });
    expect(harness.coordinator.minted.at(-1)?.endpointId).toBe(second.id);
    expect((await admin.delete(`/api/v1/deployments/${first.id}`)).status).toBe(200);
  });

  it('keeps its token when only the interval changes, and is never rotated later than planned', async () => {
    const [upstream, downstream] = [await make(), await make()];
    const first = await bind(admin, downstream.id, upstream.id, { rotation_interval_s: 3_600 });
    const minted = harness.coordinator.minted.length;
    const longer = await bind(admin, downstream.id, upstream.id, { rotation_interval_s: 7_200 });
    expect(longer).toMatchObject({ issued_at: first.issued_at, next_rotation_at: first.next_rotation_at });
    const shorter = await bind(admin, downstream.id, upstream.id, { rotation_interval_s: 60 });
    const planned = Date.parse(shorter.next_rotation_at) - Date.parse(String(first.issued_at));
    expect([shorter.issued_at, planned]).toEqual([first.issued_at, 60_000]);
    expect(harness.coordinator.minted).toHaveLength(minted);
  });

  it.each([
    [{ upstream_deployment_id: 'x' }, 'upstream_deployment_id'],
    [{ upstream_deployment_id: '00000000-0000-7000-8000-000000000000' }, 'upstream_deployment_id'],
    [{}, 'upstream_deployment_id'],
    [{ rotation_interval_s: 1 }, 'rotation_interval_s'],
    [{ rotation_interval_s: 2_592_001 }, 'rotation_interval_s'],
  ])('is not set by %j', async (fields, field) => {
    const [upstream, downstream] = [await make(), await make()];
    const named = 'rotation_interval_s' in fields ? { upstream_deployment_id: upstream.id } : {};
    const refused = await admin.put<Problem>(pathOf(downstream.id), { ...named, ...fields });
    expect(refused.status).toBe(400);
    expect(refused.body.errors?.[0]?.field).toBe(field);
  });

  it('is neither the deployment itself nor anything that calls it', async () => {
    const [a, b, c] = [await make(), await make(), await make()];
    await bind(admin, b.id, a.id);
    await bind(admin, c.id, b.id);
    for (const id of [a.id, b.id, c.id]) {
      const refused = await tryBind(admin, a.id, id);
      expect(refused.body).toMatchObject({ status: 409, code: 'upstream.cycle' });
    }
    expect((await admin.get(pathOf(a.id))).status).toBe(404);
  });

  it('never becomes a circle by two requests at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b, c] = [await make(), await make(), await make()];
      const answers = await Promise.all([
        tryBind(admin, a.id, b.id),
        tryBind(admin, b.id, c.id),
        tryBind(admin, c.id, a.id),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
    }
  });

  it('keeps its upstream from being deleted, naming those bound to it that the caller may see', async () => {
    const other = await makeProject(admin);
    const [upstream, shown] = [await make(), await make()];
    const hidden = await makeDeployment(admin, other, { replicas: [] });
    for (const { id } of [shown, hidden]) await bind(admin, id, upstream.id);
    const { token } = await makeUser(admin, { projectId, role: 'member' });
    const path = `/api/v1/deployments/${upstream.id}`;
    const refused = await harness.as(token).delete<Problem>(path);
    expect(refused.body).toMatchObject({ status: 409, code: 'deployment.has_downstreams' });
    expect(refused.body.detail).toContain(`${shown.name} (${shown.id})`);
    expect(refused.body.detail).toContain('1 more');
    expect(refused.body.detail).not.toContain(hidden.name);
    expect(harness.coordinator.endpoints.has(upstream.id)).toBe(true);
    await admin.delete(pathOf(hidden.id));
    await admin.delete(`/api/v1/deployments/${shown.id}`);
    expect((await admin.delete(path)).status).toBe(200);
  });

  it('is either bound or deleted when both are asked for at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [upstream, downstream] = [await make(), await make()];
      const [bound, removed] = await Promise.all([
        tryBind(admin, downstream.id, upstream.id),
        admin.delete(`/api/v1/deployments/${upstream.id}`),
      ]);
      expect([bound.status, removed.status]).toEqual(bound.status === 200 ? [200, 409] : [400, 200]);
    }
  });

  it('is shown both ways, without what belongs to others', async () => {
    const other = await makeProject(admin);
    const a = await make();
    const b = await make({ upstream_deployment_id: a.id });
    const c = await make({ upstream_deployment_id: b.id });
    const d = await makeDeployment(admin, other, { replicas: [], upstream_deployment_id: b.id });
    expect(await lineage(c.id)).toEqual({
      deployment_id: c.id,
      upstream: b.id,
      ancestors: [b.id, a.id],
      downstreams: [],
      descendants: [],
      hidden: 0,
    });
    expect(await lineage(a.id)).toEqual({
      deployment_id: a.id,
      upstream: null,
      ancestors: [],
      downstreams: [b.id],
      descendants: [b.id, c.id, d.id],
      hidden: 0,
    });
    const { token } = await makeUser(admin, { projectId, role: 'viewer' });
    expect(await lineage(b.id, harness.as(token))).toMatchObject({
      ancestors: [a.id],
      downstreams: [c.id],
      descendants: [c.id],
      hidden: 1,
    });
  });

  it('is set by members of both projects, for an owner who sees the upstream', async () => {
    const [mine, theirs] = [await makeProject(admin), await makeProject(admin)];
    const upstream = await makeDeployment(admin, theirs, { replicas: [] });
    const owner = await makeUser(admin, { projectId: mine, role: 'member' });
    const downstream = await makeDeployment(harness.as(owner.token), mine, { replicas: [] });
    const role = (name: string) =>
      admin.put(`/api/v1/projects/${theirs}/members/${owner.id}`, { role: name });
    expect((await tryBind(harness.as(owner.token), downstream.id, upstream.id)).status).toBe(400);
    const unseen = await tryBind(admin, downstream.id, upstream.id);
    expect([unseen.status, unseen.body.detail]).toEqual([400, expect.stringContaining('owner')]);
    await role('viewer');
    expect((await tryBind(harness.as(owner.token), downstream.id, upstream.id)).status).toBe(400);
    await role('member');
    expect((await tryBind(harness.as(owner.token), downstream.id, upstream.id)).status).toBe(200);
    const viewer = await makeUser(admin, { projectId: mine, role: 'viewer' });
    expect((await tryBind(harness.as(viewer.token), downstream.id, upstream.id)).status).toBe(403);
    expect((await harness.as(viewer.token).delete(pathOf(downstream.id))).status).toBe(403);
    expect((await harness.as(viewer.token).get(pathOf(downstream.id))).status).toBe(200);
  });

  it('may be ended from above by an administrator of its own project, and by nobody else there', async () => {
    const [mine, theirs] = [await makeProject(admin), await makeProject(admin)];
    const upstream = await makeDeployment(admin, theirs, { replicas: [] });
    const downstream = await makeDeployment(admin, mine, {
      replicas: [],
      upstream_deployment_id: upstream.id,
    });
    const member = await makeUser(admin, { projectId: theirs, role: 'member' });
    const chief = await makeUser(admin, { projectId: theirs, role: 'admin' });
    expect((await harness.as(member.token).delete(pathOf(downstream.id))).status).toBe(404);
    const shown = { downstreams: [downstream.id], descendants: [downstream.id], hidden: 0 };
    expect(await lineage(upstream.id, harness.as(chief.token))).toMatchObject(shown);
    expect(await lineage(upstream.id, harness.as(member.token))).toMatchObject({
      downstreams: [],
      hidden: 1,
    });
    expect((await harness.as(chief.token).delete(pathOf(downstream.id))).status).toBe(200);
  });

  it('is written into the audit log when it is bound and unbound', async () => {
    const [upstream, downstream] = [await make(), await make()];
    await bind(admin, downstream.id, upstream.id);
    await admin.delete(pathOf(downstream.id));
    const logs = await admin.get<Page<AnyBody>>(`/api/v1/audit-logs?target_id=${downstream.id}`);
    const { items } = logs.body;
    expect(items.map(({ action }) => action)).toEqual([
      'deployment.create',
      'deployment.bind',
      'deployment.unbind',
    ]);
    for (const { actor_name, changes } of items.slice(1)) {
      expect(actor_name).toBe('admin');
      expect(changes).toMatchObject({ upstream_deployment_id: upstream.id });
    }
  });

  it('is in the audit log however the binding came about and ended', async () => {
    const [first, second] = [await make(), await make()];
    const { id } = await make({ upstream_deployment_id: first.id });
    await bind(admin, id, second.id, { rotation_interval_s: 60 });
    await admin.delete(`/api/v1/deployments/${id}`);
    const logs = await admin.get<Page<AnyBody>>(`/api/v1/audit-logs?target_id=${id}`);
    expect(logs.body.items.map(({ action, changes }) => [action, changes])).toEqual([
      ['deployment.create', expect.objectContaining({ upstream_deployment_id: first.id })],
      ['deployment.bind', { upstream_deployment_id: first.id, rotation_interval_s: 86_400 }],
      ['deployment.unbind', { upstream_deployment_id: first.id }],
      ['deployment.bind', { upstream_deployment_id: second.id, rotation_interval_s: 60 }],
      ['deployment.unbind', { upstream_deployment_id: second.id }],
      ['deployment.delete', {}],
    ]);
  });

  it('is bound while the coordinator is away; its token comes later', async () => {
    const [upstream, downstream] = [await make(), await make()];
    await harness.coordinator.stop();
    const bound = await bind(admin, downstream.id, upstream.id);
    expect(bound).toMatchObject({ token_state: 'missing', propagation: { status: 'deferred' } });
    expect(bound.last_error).toContain('POST');
    const early = await admin.get<Problem>(pathOf(downstream.id, 'service-environment'));
    expect(early.body).toMatchObject({ status: 503, code: 'upstream.token_pending' });
    await harness.coordinator.start();
  });

  /** Pushes of several deployments arrive in any order; one that comes too early must come again. */
  it('is pushed again when the coordinator still has what contradicts it', async () => {
    const [upstream, downstream] = [await make(), await make()];
    const type = 'https://api.backend.ai/probs/appproxy/upstream-conflict';
    harness.coordinator.script(({ path }) =>
      path.startsWith('/v2/endpoints/bulk') ? { status: 409, body: { type, title: 'cycle' } } : undefined,
    );
    const bound = await bind(admin, downstream.id, upstream.id);
    expect(bound.propagation).toMatchObject({ status: 'deferred', reason: 'coordinator_unavailable' });
    harness.coordinator.clearRules();
    await eventually(() => expect(harness.coordinator.upstreamOf(downstream.id)).toBe(upstream.id));
  });

  it('needs a manager that can keep its token', async () => {
    const [upstream, downstream] = [await make(), await make()];
    const other = await harness.startAnother({ encryption_key: undefined });
    const without = harness.at(other.url);
    const refused = await tryBind(without, downstream.id, upstream.id);
    await other.stop();
    expect(refused.body).toMatchObject({ status: 501, code: 'upstream.not_configured' });
  });
});
