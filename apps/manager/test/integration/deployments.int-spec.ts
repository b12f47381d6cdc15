import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { ApiClient } from '../support/api-client.js';
import {
  type Deployment,
  makeDeployment,
  makeProject,
  makePublication,
  makeUser,
  type Page,
  type Problem,
  type Removed,
  unique,
} from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

describe('deployments', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let projectId: string;

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    projectId = await makeProject(admin);
  });
  afterEach(() => {
    harness.coordinator.circuitPropagation = { status: 'applied', waited_ms: 1 };
  });
  afterAll(() => harness.dispose());

  it('keeps every field that was written and gives it back', async () => {
    const input = {
      project_id: projectId,
      name: unique('all fields'),
      served_model: 'meta/llama-4 8B',
      capabilities: ['chat', 'tools'],
      policy: { tier: 'gold', nested: { limit: 3 } },
      authority: harness.authority,
      runtime_variant: 'vllm',
      replica_groups: [
        {
          name: 'blue',
          traffic_weight: 80,
          lifecycle: 'rolling',
          replicas: [
            { host: '10.1.2.3', port: 8000, weight: 0.5, accelerators: { model: 'H100', count: 8 } },
            { host: '::1', port: 8001, weight: 0, accelerators: null },
          ],
        },
        { name: 'green', traffic_weight: 0, lifecycle: 'stable', replicas: [] },
      ],
    };
    const made = await makeDeployment(admin, projectId, { ...input, replicas: undefined });
    const { body: read } = await admin.get<Deployment>(`/api/v1/deployments/${made.id}`);
    expect(made).toMatchObject(input);
    expect(made.domain).toBe('default');
    expect(read).toMatchObject(input);
  });

  it('says that a change is on its way, and why, while no router has acknowledged it', async () => {
    const { id } = await makeDeployment(admin, projectId);
    const patch = async () => {
      const { body } = await admin.patch<Deployment>(`/api/v1/deployments/${id}`, {
        served_model: unique('served'),
      });
      return body.propagation;
    };
    for (const reason of ['bus_unavailable', 'no_live_node', 'awaiting_ack'] as const) {
      harness.coordinator.circuitPropagation = { status: 'deferred', reason, waited_ms: 0 };
      expect(await patch()).toMatchObject({ status: 'deferred', reason, first_ack_node: null });
    }
    harness.coordinator.circuitPropagation = null;
    expect(await patch()).toMatchObject({ status: 'deferred', reason: 'announced' });
    const gone = await admin.delete<Deployment>(`/api/v1/deployments/${id}`);
    expect(gone.body.propagation).toMatchObject({ status: 'deferred', reason: 'announced' });
    expect(harness.coordinator.endpoints.has(id)).toBe(false);
  });

  it('tells the coordinator the whole state before it answers', async () => {
    const made = await makeDeployment(admin, projectId, { served_model: 'served', capabilities: ['chat'] });
    const [group] = made.replica_groups;
    expect(made.propagation).toMatchObject({ status: 'applied' });
    expect(harness.coordinator.endpoints.get(made.id)).toMatchObject({
      service_name: made.name,
      authority: harness.authority,
      tags: { session: { project_id: projectId, domain_name: 'default' } },
    });
    expect(harness.coordinator.routes.get(made.id)).toMatchObject({
      served_model: 'served',
      capabilities: ['chat'],
      replica_groups: [{ id: group?.id, traffic_weight: 100, lifecycle: 'stable' }],
      routes: [
        { kernel_host: '127.0.0.1', kernel_port: 10_500, replica_group_id: group?.id, traffic_ratio: 1 },
      ],
    });
  });

  it('clears a served model that is set to null', async () => {
    const made = await makeDeployment(admin, projectId, { served_model: 'served' });
    const changed = await admin.patch<Deployment>(`/api/v1/deployments/${made.id}`, { served_model: null });
    expect(changed.body.served_model).toBeNull();
    expect(harness.coordinator.routes.get(made.id)?.served_model).toBeNull();
  });

  it('changes name, capabilities and policy', async () => {
    const made = await makeDeployment(admin, projectId);
    const input = { name: unique('renamed'), capabilities: ['vision'], policy: { a: 1 } };
    const changed = await admin.patch<Deployment>(`/api/v1/deployments/${made.id}`, input);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject(input);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'a\u0007b' }, 'name'],
    [{ color: 'red' }, 'color'],
    [{ replicas: [{ host: '127.0.0.1', port: 0 }] }, 'replicas.0.port'],
    [{ replicas: [{ host: 'http://127.0.0.1', port: 1 }] }, 'replicas.0.host'],
    [{ replicas: [{ host: '127.0.0.1', port: 1, weight: -1 }] }, 'replicas.0.weight'],
    [{ replicas: [{ host: '127.0.0.1', port: 1, shade: 1 }] }, 'replicas.0.shade'],
    [{ replica_groups: [{ traffic_weight: -1 }], replicas: undefined }, 'replica_groups.0.traffic_weight'],
    [{ replica_groups: [{ lifecycle: 'odd' }], replicas: undefined }, 'replica_groups.0.lifecycle'],
    [{ replica_groups: [] }, 'replicas'],
    [{ capabilities: ['a', 'a'] }, 'capabilities'],
    [{ policy: 'text' }, 'policy'],
    [{ project_id: 'nope' }, 'project_id'],
    [{ project_id: '00000000-0000-7000-8000-000000000000' }, 'project_id'],
  ])('refuses %j and names the field %s', async (fields, field) => {
    const body = { project_id: projectId, name: unique('bad'), replicas: [], ...fields };
    const answer = await admin.post<Problem>('/api/v1/deployments', body);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body.errors?.map((error) => error.field)).toContain(field);
  });

  it.each(['8.8.8.8', '169.254.169.254', '2001:4860:4860::8888', '::ffff:8.8.8.8', 'no-such-host.invalid'])(
    'refuses the replica address %s',
    async (host) => {
      const body = { project_id: projectId, name: unique('outside'), replicas: [{ host, port: 80 }] };
      const answer = await admin.post<Problem>('/api/v1/deployments', body);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        code: 'replica.address_not_allowed',
        errors: [{ field: 'replicas.0.host' }],
      });
    },
  );

  it('accepts a host name whose addresses all lie in the allowed networks', async () => {
    const made = await makeDeployment(admin, projectId, { replicas: [{ host: 'localhost', port: 80 }] });
    expect(made.replica_groups[0]?.replicas[0]?.host).toBe('localhost');
  });

  it('refuses a second deployment of one name in a project', async () => {
    const made = await makeDeployment(admin, projectId);
    const body = { project_id: projectId, name: made.name };
    const answer = await admin.post<Problem>('/api/v1/deployments', body);
    expect(answer.status).toBe(409);
    expect(answer.body.errors).toEqual([expect.objectContaining({ field: 'name' })]);
  });

  it('refuses one address listed twice', async () => {
    const replicas = [
      { host: '127.0.0.1', port: 1 },
      { host: '127.0.0.1', port: 1 },
    ];
    const body = { project_id: projectId, name: unique('twice'), replicas };
    expect((await admin.post<Problem>('/api/v1/deployments', body)).status).toBe(409);
  });

  it('adds, changes, replaces and removes replicas, and pushes each time', async () => {
    const made = await makeDeployment(admin, projectId, { replicas: [] });
    const path = `/api/v1/deployments/${made.id}/replicas`;
    const added = await admin.post<{ id: string }>(path, {
      host: '10.0.0.1',
      port: 80,
      weight: 2,
      accelerators: { model: 'L4', count: 1 },
    });
    expect(added.status).toBe(201);
    expect(harness.coordinator.routes.get(made.id)?.routes).toEqual([
      expect.objectContaining({
        route_id: added.body.id,
        kernel_host: '10.0.0.1',
        traffic_ratio: 2,
        accelerators: { model: 'L4', count: 1 },
      }),
    ]);
    const patched = await admin.patch(`${path}/${added.body.id}`, { weight: 0 });
    expect(patched.body).toMatchObject({ weight: 0, host: '10.0.0.1' });
    const replaced = await admin.put<Page<{ id: string; port: number }>>(path, {
      replicas: [
        { host: '10.0.0.1', port: 80 },
        { host: '10.0.0.2', port: 80 },
      ],
    });
    expect(replaced.body.items.map(({ id }) => id)).toContain(added.body.id);
    expect(replaced.body.items).toHaveLength(2);
    expect((await admin.delete(`${path}/${added.body.id}`)).status).toBe(200);
    expect(harness.coordinator.routes.get(made.id)?.routes).toHaveLength(1);
    expect((await admin.delete(`${path}/${added.body.id}`)).status).toBe(404);
    expect((await admin.get<Page<object>>(path)).body.items).toHaveLength(1);
  });

  it('checks the address of an added or changed replica as well', async () => {
    const made = await makeDeployment(admin, projectId);
    const path = `/api/v1/deployments/${made.id}/replicas`;
    const replica = made.replica_groups[0]?.replicas[0]?.id ?? '';
    expect((await admin.post(path, { host: '8.8.8.8', port: 80 })).status).toBe(400);
    expect((await admin.put(path, { replicas: [{ host: '8.8.8.8', port: 80 }] })).status).toBe(400);
    expect((await admin.patch(`${path}/${replica}`, { host: '8.8.8.8' })).status).toBe(400);
  });

  it('adds, weighs and removes replica groups, and asks which one when it is not clear', async () => {
    const made = await makeDeployment(admin, projectId, { replicas: [] });
    const path = `/api/v1/deployments/${made.id}/replica-groups`;
    const first = made.replica_groups[0]?.id ?? '';
    await admin.patch(`${path}/${first}`, { name: 'old', traffic_weight: 90 });
    const added = await admin.post<{ id: string }>(path, {
      name: 'canary',
      traffic_weight: 10,
      lifecycle: 'rolling',
    });
    expect(added.body).toMatchObject({
      name: 'canary',
      traffic_weight: 10,
      lifecycle: 'rolling',
      replicas: [],
    });
    const weights = harness.coordinator.routes.get(made.id)?.replica_groups;
    expect(weights?.map(({ traffic_weight }) => traffic_weight).sort()).toEqual([10, 90]);
    const replica = { host: '10.0.0.9', port: 80 };
    const unclear = await admin.post<Problem>(`/api/v1/deployments/${made.id}/replicas`, replica);
    expect(unclear.body.errors?.[0]?.field).toBe('replica_group_id');
    const placed = { ...replica, replica_group_id: added.body.id };
    expect((await admin.post(`/api/v1/deployments/${made.id}/replicas`, placed)).status).toBe(201);
    expect((await admin.get<Page<object>>(path)).body.items).toHaveLength(2);
    expect((await admin.delete(`${path}/${added.body.id}`)).status).toBe(200);
    expect(harness.coordinator.routes.get(made.id)?.routes).toEqual([]);
  });

  it('deletes a deployment, unmaps it, and warns about a publication that is empty now', async () => {
    const made = await makeDeployment(admin, projectId);
    const mappings = [{ deployment_id: made.id, ratio: 1 }];
    const publication = await makePublication(admin, projectId, { mappings });
    const removed = await admin.delete<Removed>(`/api/v1/deployments/${made.id}`);
    expect(removed.status).toBe(200);
    expect(removed.body.warnings).toEqual([expect.stringContaining(publication.name)]);
    expect(harness.coordinator.endpoints.has(made.id)).toBe(false);
    const left = await admin.get(`/api/v1/publications/${publication.id}`);
    expect(left.body).toMatchObject({ mappings: [] });
    expect((await admin.get(`/api/v1/deployments/${made.id}`)).status).toBe(404);
  });

  it('gives a long list in pages that neither skip nor repeat', async () => {
    const own = await makeProject(admin);
    const made = [];
    for (let index = 0; index < 5; index += 1) made.push((await makeDeployment(admin, own)).id);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = `project_id=${own}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page = await admin.get<Page<Deployment>>(`/api/v1/deployments?${query}`);
      seen.push(...page.body.items.map(({ id }) => id));
      cursor = page.body.next_cursor;
    }
    expect(seen).toEqual([...made].sort());
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=!!', 'cursor=bm9wZQ', 'colour=red'])(
    'refuses the list query %s',
    async (query) => {
      const answer = await admin.get<Problem>(`/api/v1/deployments?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toHaveLength(1);
    },
  );

  describe('for other callers', () => {
    it('asks for a token, and for a valid one', async () => {
      expect((await harness.as(null).get('/api/v1/deployments')).status).toBe(401);
      expect((await harness.as('pst_wrong').get('/api/v1/deployments')).status).toBe(401);
    });

    it('shows nothing of a project to those who have no role in it', async () => {
      const made = await makeDeployment(admin, projectId);
      const { token } = await makeUser(admin);
      const outsider = harness.as(token);
      const hidden = await outsider.get<Problem>(`/api/v1/deployments/${made.id}`);
      const missing = await outsider.get<Problem>('/api/v1/deployments/00000000-0000-7000-8000-000000000000');
      expect(hidden.status).toBe(404);
      expect({ ...hidden.body, requestId: '', instance: '' }).toEqual({
        ...missing.body,
        requestId: '',
        instance: '',
      });
      expect((await outsider.delete(`/api/v1/deployments/${made.id}`)).status).toBe(404);
      expect((await outsider.get<Page<object>>('/api/v1/deployments')).body.items).toEqual([]);
    });

    it('lets a viewer read and nothing else', async () => {
      const made = await makeDeployment(admin, projectId);
      const { token } = await makeUser(admin, { projectId, role: 'viewer' });
      const viewer = harness.as(token);
      expect((await viewer.get(`/api/v1/deployments/${made.id}`)).status).toBe(200);
      expect((await viewer.patch(`/api/v1/deployments/${made.id}`, { name: 'x' })).status).toBe(403);
      expect((await viewer.delete(`/api/v1/deployments/${made.id}`)).status).toBe(403);
      const body = { project_id: projectId, name: unique('d') };
      expect((await viewer.post('/api/v1/deployments', body)).status).toBe(403);
      const replica = { host: '127.0.0.1', port: 1 };
      expect((await viewer.post(`/api/v1/deployments/${made.id}/replicas`, replica)).status).toBe(403);
    });

    it('lets a member change them', async () => {
      const { token } = await makeUser(admin, { projectId, role: 'member' });
      const made = await makeDeployment(harness.as(token), projectId);
      expect((await harness.as(token).delete(`/api/v1/deployments/${made.id}`)).status).toBe(200);
    });
  });
});
