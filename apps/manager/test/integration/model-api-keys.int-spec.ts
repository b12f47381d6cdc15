import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ApiClient } from '../support/api-client.js';
import {
  issueKey,
  type IssuedKey,
  makeProject,
  makePublication,
  makeUser,
  type Page,
  type Problem,
  type RevokedKey,
  unique,
} from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

const KEY = /^sk-[A-Za-z0-9_-]{43}$/;

describe('model API keys', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let projectId: string;
  let model: string;
  let other: string;

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    projectId = await makeProject(admin);
    model = (await makePublication(admin, projectId)).name;
    other = (await makePublication(admin, projectId, { name: unique('org/model %') })).name;
  });
  afterAll(() => harness.dispose());

  it('keeps every field that was written and gives it back', async () => {
    const input = {
      name: unique('key'),
      allowed_models: [other, model],
      expires_at: '2999-01-01T00:00:00.000Z',
      rate_limit: 600,
      allowed_client_ips: ['10.0.0.0/8', '::1'],
      attributes: { team: 'search', nested: { a: [1] } },
      authority: harness.authority,
    };
    const issued = await issueKey(admin, projectId, input.allowed_models, input);
    const { body: read } = await admin.get(`/api/v1/model-api-keys/${issued.id}`);
    expect(issued).toMatchObject({ ...input, status: 'ACTIVE', project_id: projectId, domain: 'default' });
    expect(read).toMatchObject(input);
  });

  it('shows the plaintext once, keeps its hash, and pushes that', async () => {
    const issued = await issueKey(admin, projectId, [model]);
    const plaintext = issued.key ?? '';
    const hash = createHash('sha256').update(plaintext).digest('hex');
    expect(plaintext).toMatch(KEY);
    expect(issued.display_hint).toBe(`sk-…${plaintext.slice(-4)}`);
    expect(issued.propagation).toMatchObject({ status: 'applied' });
    expect(harness.coordinator.keys.get(issued.id)).toMatchObject({
      token_hash: hash,
      display_hint: issued.display_hint,
      allowed_models: [model],
      project_id: projectId,
      domain: 'default',
      owner: issued.owner_id,
    });
    const listed = await admin.get<Page<object>>(`/api/v1/model-api-keys?project_id=${projectId}`);
    const shown = JSON.stringify([
      listed.body,
      (await admin.get(`/api/v1/model-api-keys/${issued.id}`)).body,
    ]);
    expect(shown).not.toContain(plaintext);
    expect(shown).not.toContain(hash);
    expect(harness.logLines.join('')).not.toContain(plaintext);
  });

  it.each([
    [{ allowed_models: [] }, 'allowed_models'],
    [{ allowed_models: undefined }, 'allowed_models'],
    [{ allowed_models: ['x', 'x'] }, 'allowed_models.1'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: '9999-12-31T23:59:59-23:59' }, 'expires_at'],
    [{ rate_limit: 0 }, 'rate_limit'],
    [{ rate_limit: 1.5 }, 'rate_limit'],
    [{ allowed_client_ips: ['10.0.0.0/33'] }, 'allowed_client_ips.0'],
    [{ allowed_client_ips: [] }, 'allowed_client_ips'],
    [{ attributes: 'x' }, 'attributes'],
    [{ owner_id: '00000000-0000-7000-8000-000000000000' }, 'owner_id'],
    [{ key: 'sk-chosen-by-the-caller' }, 'key'],
  ])('refuses %j and names the field %s', async (fields, field) => {
    const body = { project_id: projectId, allowed_models: [model], ...fields };
    const answer = await admin.post<Problem>('/api/v1/model-api-keys', body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.map((error) => error.field)).toContain(field);
  });

  it('refuses a name that is not published, and says which', async () => {
    const body = { project_id: projectId, allowed_models: [model, unique('unpublished')] };
    const answer = await admin.post<Problem>('/api/v1/model-api-keys', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'model_key.model_not_available',
      errors: [{ field: 'allowed_models.1' }],
    });
  });

  it('refuses a name that the owner cannot see, in the words for one that is not there', async () => {
    const own = await makeProject(admin);
    const { token } = await makeUser(admin, { projectId: own, role: 'member' });
    const refuse = async (name: string) =>
      harness.as(token).post<Problem>('/api/v1/model-api-keys', { project_id: own, allowed_models: [name] });
    const hidden = await refuse(model);
    const missing = await refuse(unique('nowhere'));
    expect(hidden.status).toBe(400);
    expect(hidden.body.errors).toEqual(missing.body.errors);
  });

  it('changes what may be changed and only takes grants away', async () => {
    const issued = await issueKey(admin, projectId, [model, other]);
    const input = {
      name: 'renamed',
      allowed_models: [model],
      rate_limit: 5,
      expires_at: '2999-01-01T00:00:00.000Z',
      allowed_client_ips: ['192.168.0.1'],
      attributes: { a: 1 },
    };
    const changed = await admin.patch(`/api/v1/model-api-keys/${issued.id}`, input);
    expect(changed.body).toMatchObject(input);
    expect(harness.coordinator.keys.get(issued.id)).toMatchObject({ rate_limit: 5, allowed_models: [model] });
    const widened = await admin.patch<Problem>(`/api/v1/model-api-keys/${issued.id}`, {
      allowed_models: [model, other],
    });
    expect(widened.status).toBe(400);
    expect(widened.body.errors?.[0]?.field).toBe('allowed_models.1');
  });

  it('lists by owner, state and granted name', async () => {
    const own = await makeProject(admin);
    const first = await issueKey(admin, own, [model]);
    const second = await issueKey(admin, own, [other]);
    await admin.delete(`/api/v1/model-api-keys/${second.id}`);
    const found = async (query: string) => {
      const path = `/api/v1/model-api-keys?project_id=${own}&${query}`;
      return (await admin.get<Page<{ id: string }>>(path)).body.items.map(({ id }) => id);
    };
    expect(await found(`model=${encodeURIComponent(other)}`)).toEqual([second.id]);
    expect(await found('status=ACTIVE')).toEqual([first.id]);
    expect(await found(`owner_id=${first.owner_id}`)).toEqual([first.id, second.id]);
    expect(await found('name=nobody')).toEqual([]);
  });

  it('rotates: a new plaintext under the same id, the old hash gone', async () => {
    const issued = await issueKey(admin, projectId, [model]);
    const before = harness.coordinator.keys.get(issued.id)?.token_hash;
    const rotated = await admin.post<IssuedKey>(`/api/v1/model-api-keys/${issued.id}/rotate`);
    expect(rotated.status).toBe(200);
    expect(rotated.body.id).toBe(issued.id);
    expect(rotated.body.key).toMatch(KEY);
    expect(rotated.body.key).not.toBe(issued.key);
    expect(harness.coordinator.keys.get(issued.id)?.token_hash).not.toBe(before);
  });

  it('gives a suspended key back only what a rotation names', async () => {
    const gone = await makePublication(admin, projectId);
    const issued = await issueKey(admin, projectId, [gone.name]);
    await admin.delete(`/api/v1/publications/${gone.id}`);
    const path = `/api/v1/model-api-keys/${issued.id}/rotate`;
    expect((await admin.post<Problem>(path)).body.code).toBe('model_key.no_models');
    const reissued = await admin.post<IssuedKey>(path, { allowed_models: [model] });
    expect(reissued.body).toMatchObject({ suspended: false, allowed_models: [model] });
    expect(harness.coordinator.keys.get(issued.id)?.allowed_models).toEqual([model]);
  });

  it('revokes, keeps the row, and refuses to change it further', async () => {
    const issued = await issueKey(admin, projectId, [model]);
    const path = `/api/v1/model-api-keys/${issued.id}`;
    const revoked = await admin.delete<RevokedKey>(path);
    expect(revoked.status).toBe(200);
    expect(revoked.body).toMatchObject({
      id: issued.id,
      status: 'REVOKED',
      propagation: { status: 'applied' },
    });
    expect(revoked.body.revoked_at).not.toBeNull();
    expect(revoked.body).not.toHaveProperty('strict');
    expect(harness.coordinator.keys.has(issued.id)).toBe(false);
    expect((await admin.get(path)).body).toMatchObject({ status: 'REVOKED' });
    expect((await admin.post<Problem>(`${path}/rotate`)).body.code).toBe('model_key.revoked');
    expect((await admin.patch(path, { name: 'x' })).status).toBe(409);
    const list = await admin.get<Page<{ id: string }>>('/api/v1/model-api-keys?status=REVOKED&limit=200');
    expect(list.body.items.map(({ id }) => id)).toContain(issued.id);
  });

  describe('strict revocation', () => {
    it('names the nodes that confirmed', async () => {
      const issued = await issueKey(admin, projectId, [model]);
      const { body } = await admin.delete<RevokedKey>(`/api/v1/model-api-keys/${issued.id}?strict=true`);
      expect(body.strict).toEqual({
        confirmed: true,
        confirmed_nodes: ['node-1', 'node-2'],
        unconfirmed_nodes: [],
      });
    });

    it('is never confirmed by a node that stays silent, and can be repeated until it is', async () => {
      const issued = await issueKey(admin, projectId, [model]);
      harness.coordinator.ackingNodes = ['node-1'];
      const path = `/api/v1/model-api-keys/${issued.id}?strict=true`;
      const first = await admin.delete<RevokedKey>(path);
      expect(first.body.strict).toMatchObject({ confirmed: false, unconfirmed_nodes: ['node-2'] });
      harness.coordinator.ackingNodes = ['node-1', 'node-2'];
      const again = await admin.delete<RevokedKey>(path);
      expect(again.body.strict).toMatchObject({ confirmed: true });
    });

    it('is never confirmed with the coordinator away', async () => {
      const issued = await issueKey(admin, projectId, [model]);
      await harness.coordinator.stop();
      try {
        const { status, body } = await admin.delete<RevokedKey>(
          `/api/v1/model-api-keys/${issued.id}?strict=true`,
        );
        expect(status).toBe(200);
        expect(body).toMatchObject({
          status: 'REVOKED',
          propagation: { status: 'deferred', reason: 'coordinator_unavailable' },
          strict: { confirmed: false, confirmed_nodes: [], unconfirmed_nodes: [] },
        });
      } finally {
        await harness.coordinator.start();
      }
    });

    it.each(['strict=maybe', 'force=true'])('refuses the query %s', async (query) => {
      const issued = await issueKey(admin, projectId, [model]);
      expect((await admin.delete(`/api/v1/model-api-keys/${issued.id}?${query}`)).status).toBe(400);
    });
  });

  describe('for other callers', () => {
    it('hides keys of projects the caller has no role in', async () => {
      const issued = await issueKey(admin, projectId, [model]);
      const outsider = harness.as((await makeUser(admin)).token);
      const path = `/api/v1/model-api-keys/${issued.id}`;
      expect((await outsider.get(path)).status).toBe(404);
      expect((await outsider.delete(path)).status).toBe(404);
      expect((await outsider.post(`${path}/rotate`)).status).toBe(404);
      expect((await outsider.get<Page<object>>('/api/v1/model-api-keys')).body.items).toEqual([]);
    });

    it('lets a viewer read and nothing else', async () => {
      const issued = await issueKey(admin, projectId, [model]);
      const viewer = harness.as((await makeUser(admin, { projectId, role: 'viewer' })).token);
      const path = `/api/v1/model-api-keys/${issued.id}`;
      expect((await viewer.get(path)).status).toBe(200);
      expect((await viewer.delete(path)).status).toBe(403);
      expect((await viewer.post(`${path}/rotate`)).status).toBe(403);
    });

    it('lets a member issue for themselves, and only an administrator for others', async () => {
      const { id, token } = await makeUser(admin, { projectId, role: 'member' });
      const second = await makeUser(admin, { projectId, role: 'admin' });
      const own = await issueKey(harness.as(token), projectId, [model]);
      expect(own.owner_id).toBe(id);
      const body = { project_id: projectId, allowed_models: [model], owner_id: second.id };
      expect((await harness.as(token).post('/api/v1/model-api-keys', body)).status).toBe(403);
      const forOther = { ...body, owner_id: id };
      const answer = await harness.as(second.token).post<IssuedKey>('/api/v1/model-api-keys', forOther);
      expect(answer.body.owner_id).toBe(id);
    });

    it('asks for a token', async () => {
      expect((await harness.as(null).get('/api/v1/model-api-keys')).status).toBe(401);
    });
  });
});
