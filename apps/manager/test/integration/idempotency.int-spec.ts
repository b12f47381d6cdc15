import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { eventually } from '@penstock/testkit';

import type { ApiClient } from '../support/api-client.js';
import {
  type IssuedKey,
  makeProject,
  makePublication,
  makeUser,
  type Page,
  type Problem,
  type Publication,
  unique,
} from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

describe('Idempotency-Key', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let projectId: string;

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    projectId = await makeProject(admin);
  });
  afterAll(() => harness.dispose());

  const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

  it('answers a repeated request with what was answered first, and does nothing', async () => {
    const body = { project_id: projectId, name: unique('once') };
    const key = unique('key');
    const first = await admin.post<Publication>('/api/v1/publications', body, withKey(key));
    const again = await admin.post<Publication>('/api/v1/publications', body, withKey(key));
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(again.body.propagation.status).toBe('applied');
  });

  it('replays the issuance of a key without its plaintext', async () => {
    const { name } = await makePublication(admin, projectId);
    const body = { project_id: projectId, allowed_models: [name] };
    const key = unique('key');
    const first = await admin.post<IssuedKey>('/api/v1/model-api-keys', body, withKey(key));
    const again = await admin.post<IssuedKey>('/api/v1/model-api-keys', body, withKey(key));
    expect(first.body.key).toMatch(/^sk-/);
    expect(again.body).toEqual({ ...first.body, key: null });
    const rotated = await admin.post<IssuedKey>(
      `/api/v1/model-api-keys/${first.body.id}/rotate`,
      {},
      withKey(unique('r')),
    );
    expect(rotated.body.key).toMatch(/^sk-/);
  });

  it('refuses the key for another body, another path, and bad spellings', async () => {
    const key = unique('key');
    await admin.post('/api/v1/projects', { name: unique('p') }, withKey(key));
    const otherBody = await admin.post<Problem>('/api/v1/projects', { name: unique('p') }, withKey(key));
    expect(otherBody.status).toBe(422);
    expect(otherBody.body.code).toBe('idempotency.key_reused');
    expect((await admin.post('/api/v1/users', { name: unique('u') }, withKey(key))).status).toBe(422);
    const bad = await admin.post<Problem>('/api/v1/projects', { name: unique('p') }, withKey('a b'));
    expect(bad.status).toBe(400);
    expect(bad.body.errors?.[0]?.field).toBe('Idempotency-Key');
  });

  it('keeps the keys of different users apart', async () => {
    const key = unique('key');
    const body = { name: unique('project') };
    await admin.post('/api/v1/projects', body, withKey(key));
    const { token } = await makeUser(admin);
    expect((await harness.as(token).post('/api/v1/projects', body, withKey(key))).status).toBe(403);
  });

  it('lets a refused request be corrected under the same key', async () => {
    const key = unique('key');
    expect((await admin.post('/api/v1/projects', { name: '' }, withKey(key))).status).toBe(400);
    expect((await admin.post('/api/v1/projects', { name: unique('p') }, withKey(key))).status).toBe(201);
  });

  it('carries out one of many equal requests at once', async () => {
    const key = unique('key');
    const body = { name: unique('once') };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => admin.post('/api/v1/projects', body, withKey(key))),
    );
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const listed = await admin.get<Page<object>>(`/api/v1/projects?name=${body.name}`);
    expect(listed.body.items).toHaveLength(1);
    const later = await admin.post('/api/v1/projects', body, withKey(key));
    expect(later.status).toBe(201);
  });

  it('replays what is committed while the first request still waits for its push', async () => {
    const key = unique('key');
    const body = { project_id: projectId, name: unique('slow') };
    let release: (() => void) | undefined;
    harness.coordinator.delay(new Promise((resolve) => (release = () => resolve())));
    const first = admin.post<Publication>('/api/v1/publications', body, withKey(key));
    await eventually(() => expect(harness.coordinator.requestsTo(/PUT .*slow/)).toHaveLength(1));
    // Committed already: the honest answer is that it is on its way.
    const during = await admin.post<Publication>('/api/v1/publications', body, withKey(key));
    expect(during.body.propagation).toMatchObject({ status: 'deferred' });
    release?.();
    harness.coordinator.delay(null);
    expect((await first).status).toBe(201);
    const after = await admin.post<Publication>('/api/v1/publications', body, withKey(key));
    expect(after.body).toEqual((await first).body);
  });
});
