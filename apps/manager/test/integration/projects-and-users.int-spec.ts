import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ApiClient } from '../support/api-client.js';
import {
  issueKey,
  makeDeployment,
  makeProject,
  makePublication,
  makeUser,
  type Page,
  type Problem,
  unique,
} from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

describe('domains, projects, users and what they may do', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
  });
  afterAll(() => harness.dispose());

  describe('domains', () => {
    it('are made by a global admin and listed to those who belong to them', async () => {
      const input = { name: unique('domain'), description: 'Research' };
      const made = await admin.post('/api/v1/domains', input);
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject(input);
      const listed = await admin.get<Page<{ name: string }>>('/api/v1/domains?limit=200');
      expect(listed.body.items.map(({ name }) => name)).toContain(input.name);
      const user = harness.as((await makeUser(admin)).token);
      const seen = await user.get<Page<{ name: string }>>('/api/v1/domains');
      expect(seen.body.items.map(({ name }) => name)).toEqual(['default']);
      expect((await user.post('/api/v1/domains', { name: unique('d') })).status).toBe(403);
    });

    it('refuse a bad or taken name', async () => {
      expect((await admin.post('/api/v1/domains', { name: 'Has Spaces' })).status).toBe(400);
      expect((await admin.post('/api/v1/domains', { name: 'default' })).status).toBe(409);
      expect((await harness.as(null).get('/api/v1/domains')).status).toBe(401);
    });

    it('are listed page by page', async () => {
      for (let index = 0; index < 3; index += 1)
        await admin.post('/api/v1/domains', { name: unique('page') });
      const first = await admin.get<Page<{ name: string }>>('/api/v1/domains?limit=2');
      const second = await admin.get<Page<{ name: string }>>(
        `/api/v1/domains?limit=2&cursor=${first.body.next_cursor}`,
      );
      const names = [...first.body.items, ...second.body.items].map(({ name }) => name);
      expect(names).toEqual([...new Set(names)].sort());
    });
  });

  describe('projects', () => {
    it('keep every field that was written and give it back', async () => {
      const domain = unique('domain');
      await admin.post('/api/v1/domains', { name: domain });
      const input = { name: unique('project'), domain, description: 'About it' };
      const made = await admin.post<{ id: string }>('/api/v1/projects', input);
      expect(made.body).toMatchObject(input);
      const path = `/api/v1/projects/${made.body.id}`;
      const patched = await admin.patch(path, { name: `${input.name} 2`, description: null });
      expect(patched.body).toMatchObject({ name: `${input.name} 2`, description: null, domain });
      expect((await admin.get(path)).body).toEqual(patched.body);
    });

    it.each([
      [{ name: '' }, 'name'],
      [{ name: 'x', domain: 'nowhere' }, 'domain'],
      [{ name: 'x', shade: 1 }, 'shade'],
      [{}, 'name'],
    ])('refuse %j', async (body, field) => {
      const answer = await admin.post<Problem>('/api/v1/projects', body);
      expect(answer.status).toBe(400);
      expect(answer.body.errors?.map((error) => error.field)).toContain(field);
    });

    it('refuse a name that the domain has already', async () => {
      const name = unique('project');
      await admin.post('/api/v1/projects', { name });
      expect((await admin.post<Problem>('/api/v1/projects', { name })).body.code).toBe(
        'resource.already_exists',
      );
    });

    it('go only when they are empty', async () => {
      const id = await makeProject(admin);
      const deployment = await makeDeployment(admin, id);
      const refused = await admin.delete<Problem>(`/api/v1/projects/${id}`);
      expect(refused.status).toBe(409);
      expect(refused.body.detail).toContain('1 deployments');
      await admin.delete(`/api/v1/deployments/${deployment.id}`);
      expect((await admin.delete(`/api/v1/projects/${id}`)).status).toBe(200);
      expect((await admin.get(`/api/v1/projects/${id}`)).status).toBe(404);
    });

    it('show themselves to members only, and change for their admins only', async () => {
      const id = await makeProject(admin);
      const path = `/api/v1/projects/${id}`;
      const outsider = harness.as((await makeUser(admin)).token);
      const member = harness.as((await makeUser(admin, { projectId: id, role: 'member' })).token);
      const owner = harness.as((await makeUser(admin, { projectId: id, role: 'admin' })).token);
      expect((await outsider.get(path)).status).toBe(404);
      expect((await outsider.get<Page<object>>('/api/v1/projects')).body.items).toEqual([]);
      expect((await outsider.post('/api/v1/projects', { name: unique('p') })).status).toBe(403);
      expect((await member.get<Page<object>>('/api/v1/projects')).body.items).toHaveLength(1);
      expect((await member.patch(path, { description: 'x' })).status).toBe(403);
      expect((await owner.patch(path, { description: 'x' })).status).toBe(200);
      expect((await harness.as(null).get(path)).status).toBe(401);
    });

    it('give roles that count from the next request on, and take them away', async () => {
      const id = await makeProject(admin);
      const user = await makeUser(admin);
      const path = `/api/v1/projects/${id}/members`;
      expect((await admin.put(`${path}/${user.id}`, { role: 'owner' })).status).toBe(400);
      const missing = `${path}/00000000-0000-7000-8000-000000000000`;
      expect((await admin.put(missing, { role: 'viewer' })).status).toBe(404);
      const put = await admin.put(`${path}/${user.id}`, { role: 'viewer' });
      expect(put.body).toMatchObject({ project_id: id, user_id: user.id, role: 'viewer' });
      expect((await harness.as(user.token).get(`/api/v1/projects/${id}`)).status).toBe(200);
      expect((await admin.get<Page<object>>(path)).body.items).toHaveLength(1);
      expect((await admin.delete(`${path}/${user.id}`)).status).toBe(200);
      expect((await harness.as(user.token).get(`/api/v1/projects/${id}`)).status).toBe(404);
      expect((await admin.delete(`${path}/${user.id}`)).status).toBe(404);
    });

    it('list their members in pages that neither skip nor repeat', async () => {
      const projectId = await makeProject(admin);
      const users = [];
      for (let count = 0; count < 5; count += 1) {
        users.push((await makeUser(admin, { projectId, role: 'viewer' })).id);
      }
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query: string = `limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const path = `/api/v1/projects/${projectId}/members?${query}`;
        const page = await admin.get<Page<{ user_id: string }>>(path);
        seen.push(...page.body.items.map(({ user_id }) => user_id));
        cursor = page.body.next_cursor;
      }
      expect(seen).toEqual([...users].sort());
    });
  });

  describe('users', () => {
    it('keep every field that was written and give it back', async () => {
      const input = { name: unique('Ada'), email: 'ada@example.com', domain: 'default', is_admin: true };
      const made = await admin.post<{ id: string }>('/api/v1/users', input);
      expect(made.body).toMatchObject(input);
      expect((await admin.get(`/api/v1/users/${made.body.id}`)).body).toEqual(made.body);
    });

    it.each([
      [{ name: '' }, 'name'],
      [{ name: 'x', email: 'no' }, 'email'],
      [{ name: 'x', password: 'p' }, 'password'],
    ])('refuse %j', async (body, field) => {
      const answer = await admin.post<Problem>('/api/v1/users', body);
      expect(answer.status).toBe(400);
      expect(answer.body.errors?.map((error) => error.field)).toContain(field);
    });

    it('are seen by those they share a project with', async () => {
      const id = await makeProject(admin);
      const one = await makeUser(admin, { projectId: id, role: 'viewer' });
      const two = await makeUser(admin, { projectId: id, role: 'viewer' });
      const stranger = await makeUser(admin);
      const list = await harness.as(one.token).get<Page<{ id: string }>>('/api/v1/users');
      expect(list.body.items.map((user) => user.id).sort()).toEqual([one.id, two.id].sort());
      expect((await harness.as(one.token).get(`/api/v1/users/${stranger.id}`)).status).toBe(404);
      expect((await harness.as(one.token).post('/api/v1/users', { name: unique('u') })).status).toBe(403);
      expect((await harness.as(one.token).delete(`/api/v1/users/${two.id}`)).status).toBe(403);
    });

    it('call with tokens of which only the hash is kept, until they are revoked', async () => {
      const { id, token } = await makeUser(admin);
      const user = harness.as(token);
      const issued = await user.post<{ id: string; token: string }>(`/api/v1/users/${id}/tokens`, {
        name: 'laptop',
        expires_at: '2999-01-01T00:00:00Z',
      });
      expect(issued.body).toMatchObject({ name: 'laptop', user_id: id });
      const second = harness.as(issued.body.token);
      expect((await second.get('/api/v1/projects')).status).toBe(200);
      const list = await user.get<Page<object>>(`/api/v1/users/${id}/tokens`);
      expect(list.body.items).toHaveLength(2);
      expect(JSON.stringify(list.body)).not.toContain(issued.body.token);
      expect((await user.delete(`/api/v1/users/${id}/tokens/${issued.body.id}`)).status).toBe(200);
      expect((await second.get('/api/v1/projects')).status).toBe(401);
      expect(harness.logLines.join('')).not.toContain(issued.body.token);
    });

    it('cannot touch the tokens of others', async () => {
      const one = await makeUser(admin);
      const two = await makeUser(admin);
      const path = `/api/v1/users/${two.id}/tokens`;
      expect((await harness.as(one.token).get(path)).status).toBe(404);
      expect((await harness.as(one.token).post(path, {})).status).toBe(404);
      const past = await admin.post<Problem>(path, { expires_at: '2001-01-01T00:00:00Z' });
      expect(past.body.errors?.[0]?.field).toBe('expires_at');
    });

    it('take their tokens and model keys with them when they go', async () => {
      const projectId = await makeProject(admin);
      const { name } = await makePublication(admin, projectId);
      const user = await makeUser(admin, { projectId, role: 'member' });
      const key = await issueKey(harness.as(user.token), projectId, [name]);
      const removed = await admin.delete(`/api/v1/users/${user.id}`);
      expect(removed.body).toEqual({ id: user.id, revoked_keys: 1 });
      expect((await harness.as(user.token).get('/api/v1/projects')).status).toBe(401);
      expect((await admin.get(`/api/v1/model-api-keys/${key.id}`)).body).toMatchObject({ status: 'REVOKED' });
    });
  });

  describe('audit logs', () => {
    it('have a row for every change, without any secret, for those who see the project', async () => {
      const projectId = await makeProject(admin);
      const { name } = await makePublication(admin, projectId);
      const key = await issueKey(admin, projectId, [name]);
      await admin.delete(`/api/v1/model-api-keys/${key.id}`);
      const viewer = harness.as((await makeUser(admin, { projectId, role: 'viewer' })).token);
      const logs = await viewer.get<Page<{ action: string; actor_name: string; project_id: string }>>(
        `/api/v1/audit-logs?project_id=${projectId}`,
      );
      expect(logs.body.items.map(({ action }) => action)).toEqual([
        'project.create',
        'publication.create',
        'model-api-key.issue',
        'model-api-key.revoke',
        'member.put',
      ]);
      expect(logs.body.items.every((row) => row.actor_name === 'admin')).toBe(true);
      expect(JSON.stringify(logs.body)).not.toContain(key.key);
      const outsider = harness.as((await makeUser(admin)).token);
      expect((await outsider.get<Page<object>>('/api/v1/audit-logs')).body.items).toEqual([]);
      const one = await viewer.get<Page<object>>(`/api/v1/audit-logs?target_id=${key.id}&limit=1`);
      expect(one.body.items).toHaveLength(1);
      expect(one.body.next_cursor).not.toBeNull();
    });
  });

  describe('routers', () => {
    it('are shown as the coordinator sees them, to those whose projects use them', async () => {
      const projectId = await makeProject(admin);
      const all = await admin.get<Page<object>>('/api/v1/routers');
      expect(all.body.items).toEqual([
        expect.objectContaining({
          authority: harness.authority,
          hostname: 'router.example.com',
          live_nodes: 2,
          revision: String(harness.coordinator.revision),
          nodes: [
            expect.objectContaining({ node_id: 'node-1' }),
            expect.objectContaining({ node_id: 'node-2' }),
          ],
        }),
      ]);
      const viewer = harness.as((await makeUser(admin, { projectId, role: 'viewer' })).token);
      expect((await viewer.get<Page<object>>('/api/v1/routers')).body.items).toEqual([]);
      await makeDeployment(admin, projectId);
      expect((await viewer.get<Page<object>>('/api/v1/routers')).body.items).toHaveLength(1);
    });

    it('are a 503 while the coordinator is away', async () => {
      await harness.coordinator.stop();
      try {
        const answer = await admin.get<Problem>('/api/v1/routers');
        expect(answer.status).toBe(503);
        expect(answer.body.code).toBe('coordinator.unavailable');
        expect(answer.headers.get('retry-after')).toBe('2');
      } finally {
        await harness.coordinator.start();
      }
    });
  });
});
