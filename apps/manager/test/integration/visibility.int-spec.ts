import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WireError } from '@penstock/protocol';
import { eventually } from '@penstock/testkit';

import type { AnyBody, ApiClient } from '../support/api-client.js';
import {
  type Deployment,
  makeDeployment,
  makeProject,
  makePublication,
  makeUser,
  type Page,
  type Problem,
  unique,
} from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

describe('who may reach a deployment', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let projectId: string;
  const patch = <T = Deployment>(id: string, body: AnyBody) =>
    admin.patch<T>(`/api/v1/deployments/${id}`, body);

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    projectId = await makeProject(admin);
  });
  afterAll(() => harness.dispose());

  it('is, unless somebody says otherwise, everybody with a token', async () => {
    const made = await makeDeployment(admin, projectId);
    const access = { visibility: 'public', requires_token: true, open_to_public: false };
    expect(made).toMatchObject({ ...access, allowed_client_ips: null, warnings: [] });
    expect(harness.coordinator.endpoints.get(made.id)).toMatchObject({ ...access, allowed_client_ips: null });
  });

  it('goes to the coordinator with the creation and with every change', async () => {
    const allowed_client_ips = ['10.0.0.0/8', '192.168.1.7'];
    const made = await makeDeployment(admin, projectId, {
      visibility: 'INTERNAL',
      requires_token: false,
      allowed_client_ips,
    });
    expect(made).toMatchObject({ visibility: 'internal', requires_token: false, open_to_public: false });
    const internal = {
      visibility: 'internal',
      requires_token: false,
      allowed_client_ips: '10.0.0.0/8,192.168.1.7',
    };
    expect(harness.coordinator.endpoints.get(made.id)).toMatchObject({ ...internal, open_to_public: false });
    expect(harness.coordinator.routes.get(made.id)).toMatchObject(internal);
    await patch(made.id, { visibility: 'public', requires_token: true, allowed_client_ips: null });
    expect(harness.coordinator.routes.get(made.id)).toMatchObject({
      visibility: 'public',
      requires_token: true,
      allowed_client_ips: null,
    });
  });

  it('decides on the address, which is the one the coordinator names', async () => {
    const made = await makeDeployment(admin, projectId, { visibility: 'internal' });
    expect(made.url).toBe(`http://${made.id}.internal.example.com/`);
    const changed = await patch(made.id, { visibility: 'public' });
    expect(changed.body.url).toBe('http://router.example.com/');
    const again = await patch(made.id, { visibility: 'internal' });
    expect(again.body.url).toBe(made.url);
    const read = await admin.get<Deployment>(`/api/v1/deployments/${made.id}`);
    expect(read.body.url).toBe(made.url);
  });

  it('has no address while the coordinator has not named the one that follows from it', async () => {
    const made = await makeDeployment(admin, projectId);
    await harness.coordinator.stop();
    const changed = await patch(made.id, { visibility: 'internal' });
    expect(changed.body).toMatchObject({ url: null, propagation: { status: 'deferred' } });
    await harness.coordinator.start();
  });

  it.each([
    [{ open_to_public: true }, { visibility: 'public', requires_token: false, open_to_public: true }],
    [{ open_to_public: false }, { visibility: 'public', requires_token: true, open_to_public: false }],
    [
      { open_to_public: true, visibility: 'public', requires_token: true },
      { visibility: 'public', requires_token: true, open_to_public: false },
    ],
  ])('can be said in the old way, %j, with a warning', async (old, access) => {
    const body = { project_id: projectId, name: unique('old'), ...old };
    const made = await admin.post<Deployment>('/api/v1/deployments', body);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ ...access, warnings: [expect.stringContaining('deprecated')] });
    expect(made.headers.get('deprecation')).toMatch(/^@\d+$/);
    const changed = await patch(made.body.id, { open_to_public: access.open_to_public });
    expect(changed.body).toMatchObject(access);
    expect(changed.headers.get('deprecation')).toMatch(/^@\d+$/);
    const quiet = await patch(made.body.id, { name: unique('new') });
    expect(quiet.headers.get('deprecation')).toBeNull();
    expect(quiet.body.warnings).toEqual([]);
  });

  it('is never opened by an old flag that a client sends back as it read it', async () => {
    const made = await makeDeployment(admin, projectId, { visibility: 'internal', requires_token: false });
    const changed = await patch(made.id, { open_to_public: made.open_to_public });
    expect(changed.body).toMatchObject({ visibility: 'internal', requires_token: false });
  });

  it('is not open and internal at once', async () => {
    const body = {
      project_id: projectId,
      name: unique('both'),
      open_to_public: true,
      visibility: 'internal',
    };
    const created = await admin.post<Problem>('/api/v1/deployments', body);
    const made = await makeDeployment(admin, projectId, { visibility: 'internal' });
    const changed = await patch<Problem>(made.id, { open_to_public: true });
    for (const refused of [created, changed]) {
      expect(refused.status).toBe(400);
      expect(refused.body.errors).toEqual([expect.objectContaining({ field: 'open_to_public' })]);
    }
  });

  it.each([
    [{ visibility: 'cluster' }, 'visibility'],
    [{ requires_token: 'yes' }, 'requires_token'],
    [{ allowed_client_ips: ['nowhere'] }, 'allowed_client_ips.0'],
    [{ allowed_client_ips: [] }, 'allowed_client_ips'],
    [
      { allowed_client_ips: Array.from({ length: 20 }, (_, n) => `10.100.100.${100 + n}/32`) },
      'allowed_client_ips',
    ],
  ])('is not %j', async (fields, field) => {
    const body = { project_id: projectId, name: unique('bad'), ...fields };
    const answer = await admin.post<Problem>('/api/v1/deployments', body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.map((error) => error.field)).toEqual([field]);
  });

  /** An older coordinator ignores the list: everybody could call what few are meant to. */
  it('keeps a deployment with a list of addresses from a coordinator that knows no lists', async () => {
    const body = WireError.urlNotFound('/v2/endpoints').toBody();
    harness.coordinator.script(({ path }) => (path.endsWith('/lineage') ? { status: 404, body } : undefined));
    const made = await makeDeployment(admin, projectId, { allowed_client_ips: ['10.0.0.0/8'] });
    expect(made.propagation).toMatchObject({ reason: 'coordinator_unavailable' });
    expect(harness.coordinator.endpoints.has(made.id)).toBe(false);
    harness.coordinator.clearRules();
  });

  it('filters the list', async () => {
    const own = await makeProject(admin);
    const made = await makeDeployment(admin, own, { visibility: 'internal' });
    await makeDeployment(admin, own);
    const query = `project_id=${own}&visibility=internal`;
    const list = await admin.get<Page<Deployment>>(`/api/v1/deployments?${query}`);
    expect(list.body.items.map(({ id }) => id)).toEqual([made.id]);
  });

  describe('when it is internal', () => {
    /** An older coordinator ignores the field: it would open what was to stay inside. */
    it('is not given to a coordinator that would open it', async () => {
      const body = WireError.urlNotFound('/v2/endpoints').toBody();
      harness.coordinator.script(({ path }) =>
        path.endsWith('/lineage') ? { status: 404, body } : undefined,
      );
      const made = await makeDeployment(admin, projectId, { visibility: 'internal' });
      const outside = await makeDeployment(admin, projectId);
      expect(made).toMatchObject({ url: null, propagation: { reason: 'coordinator_unavailable' } });
      expect(harness.coordinator.endpoints.has(made.id)).toBe(false);
      expect(harness.coordinator.endpoints.has(outside.id)).toBe(true);
      harness.coordinator.clearRules();
      await eventually(() => expect(harness.coordinator.endpoints.has(made.id)).toBe(true));
    });

    it('cannot be published, and the refusal names it', async () => {
      const inside = await makeDeployment(admin, projectId, { visibility: 'internal' });
      const outside = await makeDeployment(admin, projectId);
      const mappings = [outside, inside].map(({ id }) => ({ deployment_id: id }));
      const body = { project_id: projectId, name: unique('model'), mappings };
      const created = await admin.post<Problem>('/api/v1/publications', body);
      const publication = await makePublication(admin, projectId);
      const path = `/api/v1/publications/${publication.id}`;
      const changed = await admin.patch<Problem>(path, { mappings });
      for (const refused of [created, changed]) {
        expect(refused.body).toMatchObject({ status: 400, code: 'publication.internal_deployment' });
        expect(refused.body.errors).toEqual([
          { field: 'mappings.1.deployment_id', message: expect.stringContaining(inside.id) },
        ]);
      }
    });

    it('was not published: turning a published one internal names its publications', async () => {
      const made = await makeDeployment(admin, projectId);
      const other = await makeProject(admin);
      const mappings = [{ deployment_id: made.id }];
      const shown = await makePublication(admin, projectId, { mappings });
      const hidden = await makePublication(admin, other, { mappings });
      const { token } = await makeUser(admin, { projectId, role: 'member' });
      const path = `/api/v1/deployments/${made.id}`;
      const refused = await harness.as(token).patch<Problem>(path, { visibility: 'internal' });
      expect(refused.body).toMatchObject({ status: 409, code: 'deployment.published' });
      expect(refused.body.detail).toContain(shown.name);
      expect(refused.body.detail).toContain('1 more');
      expect(refused.body.detail).not.toContain(hidden.name);
      for (const { id } of [shown, hidden]) {
        await admin.patch(`/api/v1/publications/${id}`, { mappings: [] });
      }
      expect((await patch(made.id, { visibility: 'internal' })).status).toBe(200);
    });

    it('is not published by a request that comes at the same moment', async () => {
      for (let round = 0; round < 8; round += 1) {
        const { id } = await makeDeployment(admin, projectId, { replicas: [] });
        const body = { project_id: projectId, name: unique('race'), mappings: [{ deployment_id: id }] };
        const [turned, published] = await Promise.all([
          patch(id, { visibility: 'internal' }),
          admin.post('/api/v1/publications', body),
        ]);
        expect([turned.status, published.status].filter((status) => status < 300)).toHaveLength(1);
      }
    });
  });
});
