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
  type Publication,
  unique,
} from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

describe('publications', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let projectId: string;
  let first: string;
  let second: string;

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    projectId = await makeProject(admin);
    first = (await makeDeployment(admin, projectId)).id;
    second = (await makeDeployment(admin, projectId)).id;
  });
  afterAll(() => harness.dispose());

  it('keeps every field that was written and gives it back', async () => {
    const input = {
      name: unique('llama'),
      aliases: [unique('alias b'), unique('alias a')],
      mappings: [
        { deployment_id: second, ratio: 0.7 },
        { deployment_id: first, ratio: 0.3 },
      ],
      control_mode: 'strategy-managed',
      policy: { retry: { attempts: 2 } },
      authority: harness.authority,
    };
    const made = await makePublication(admin, projectId, input);
    const { body: read } = await admin.get<Publication>(`/api/v1/publications/${made.id}`);
    expect(made).toMatchObject(input);
    expect(read).toMatchObject(input);
    expect(made).toMatchObject({ domain: 'default', project_id: projectId });
  });

  it('tells the coordinator the full state before it answers', async () => {
    const aliases = [unique('alias')];
    const mappings = [
      { deployment_id: first, ratio: 0.7 },
      { deployment_id: second, ratio: 0.3 },
    ];
    const made = await makePublication(admin, projectId, { aliases, mappings, policy: { a: 1 } });
    expect(made.propagation).toMatchObject({ status: 'applied', first_ack_node: 'node-1' });
    expect(made.propagation.revision).toBe(String(harness.coordinator.revision));
    expect(harness.coordinator.models.get(made.name)).toEqual({
      aliases,
      mappings: [
        { endpoint_id: first, ratio: 0.7 },
        { endpoint_id: second, ratio: 0.3 },
      ],
      control_mode: 'manual',
      policy: { a: 1 },
    });
  });

  it.each([
    'org/model',
    '100%',
    'with space',
    ' leading',
    '한국어 모델',
    '😀',
    'a?b#c',
    'a%2Fb',
    '..x',
    'Ünïcode',
  ])('publishes, finds and unpublishes the name %j', async (text) => {
    const name = `${text}${unique('')}`;
    const made = await makePublication(admin, projectId, { name, aliases: [`alias of ${name}`] });
    expect(harness.coordinator.models.has(name)).toBe(true);
    const found = await admin.get<Page<Publication>>(
      `/api/v1/publications?name=${encodeURIComponent(`alias of ${name}`)}`,
    );
    expect(found.body.items.map(({ id }) => id)).toEqual([made.id]);
    expect((await admin.delete(`/api/v1/publications/${made.id}`)).status).toBe(200);
    expect(harness.coordinator.models.has(name)).toBe(false);
  });

  it('accepts a name of 255 characters of any script', async () => {
    const made = await makePublication(admin, projectId, { name: 'ä'.repeat(240) + unique('') });
    expect(harness.coordinator.models.has(made.name)).toBe(true);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: '\ud800' }, 'name'],
    [{ name: '..' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: '😀'.repeat(127) }, 'name'],
    [{ aliases: ['a', 'a'] }, 'aliases.1'],
    [{ name: 'same', aliases: ['same'] }, 'aliases.0'],
    [{ mappings: [{ deployment_id: 'x' }] }, 'mappings.0.deployment_id'],
    [{ mappings: [{ deployment_id: '00000000-0000-7000-8000-000000000000' }] }, 'mappings.0.deployment_id'],
    [{ control_mode: 'automatic' }, 'control_mode'],
    [{ policy: [] }, 'policy'],
    [{ color: 'red' }, 'color'],
  ])('refuses %j and names the field %s', async (fields, field) => {
    const body = { project_id: projectId, name: unique('bad'), ...fields };
    const answer = await admin.post<Problem>('/api/v1/publications', body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.map((error) => error.field)).toContain(field);
  });

  it.each([-1, '1', null, 1e9])('refuses the ratio %j', async (ratio) => {
    const body = { project_id: projectId, name: unique('bad'), mappings: [{ deployment_id: first, ratio }] };
    const answer = await admin.post<Problem>('/api/v1/publications', body);
    expect(answer.body.errors?.map((error) => error.field)).toEqual(['mappings.0.ratio']);
  });

  it('refuses one deployment mapped twice', async () => {
    const mappings = [{ deployment_id: first }, { deployment_id: first }];
    const body = { project_id: projectId, name: unique('bad'), mappings };
    const answer = await admin.post<Problem>('/api/v1/publications', body);
    expect(answer.body.errors?.map((error) => error.field)).toEqual(['mappings.1.deployment_id']);
  });

  it('keeps names unique across primary names and aliases of one authority', async () => {
    const made = await makePublication(admin, projectId, { aliases: [unique('alias')] });
    const taken = [
      [{ name: made.name }, 'name'],
      [{ name: made.aliases[0] }, 'name'],
      [{ name: unique('x'), aliases: [unique('y'), made.name] }, 'aliases.1'],
      [{ name: unique('x'), aliases: [made.aliases[0]] }, 'aliases.0'],
    ] as const;
    for (const [fields, field] of taken) {
      const answer = await admin.post<Problem>('/api/v1/publications', { project_id: projectId, ...fields });
      expect(answer.status).toBe(409);
      expect(answer.body.code).toBe('publication.name_taken');
      expect(answer.body.errors?.map((error) => error.field)).toEqual([field]);
    }
  });

  it('gives a name to exactly one of many requests at once', async () => {
    const name = unique('race');
    const body = { project_id: projectId, name };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => admin.post<Problem>('/api/v1/publications', body)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('refuses a deployment that another authority serves', async () => {
    const elsewhere = await makeDeployment(admin, projectId, { authority: unique('elsewhere') });
    const body = {
      project_id: projectId,
      name: unique('wrong'),
      mappings: [{ deployment_id: elsewhere.id, ratio: 1 }],
    };
    const answer = await admin.post<Problem>('/api/v1/publications', body);
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({
      code: 'publication.wrong_authority',
      errors: [{ field: 'mappings.0.deployment_id' }],
    });
  });

  it('changes ratios, aliases, policy and control mode', async () => {
    const made = await makePublication(admin, projectId, {
      aliases: ['keep', 'drop'].map(unique),
      mappings: [{ deployment_id: first, ratio: 1 }],
    });
    const input = {
      aliases: [unique('new'), made.aliases[0]],
      mappings: [
        { deployment_id: first, ratio: 0 },
        { deployment_id: second, ratio: 2.5 },
      ],
      policy: { b: 2 },
      control_mode: 'strategy-managed',
    };
    const changed = await admin.patch<Publication>(`/api/v1/publications/${made.id}`, input);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject(input);
    expect(harness.coordinator.models.get(made.name)).toMatchObject({
      aliases: input.aliases,
      mappings: [
        { endpoint_id: first, ratio: 0 },
        { endpoint_id: second, ratio: 2.5 },
      ],
      control_mode: 'strategy_managed',
      policy: { b: 2 },
    });
  });

  it('says unchanged when nothing changed', async () => {
    const made = await makePublication(admin, projectId);
    const again = await admin.patch<Publication>(`/api/v1/publications/${made.id}`, { aliases: [] });
    expect(again.body.propagation.status).toBe('unchanged');
  });

  it('leaves ratios to the strategy that manages them, and membership to people', async () => {
    const made = await makePublication(admin, projectId, {
      control_mode: 'strategy_managed',
      mappings: [{ deployment_id: first, ratio: 1 }],
    });
    const path = `/api/v1/publications/${made.id}`;
    const edited = await admin.patch<Problem>(path, { mappings: [{ deployment_id: first, ratio: 2 }] });
    expect(edited.status).toBe(409);
    expect(edited.body.code).toBe('publication.ratio_managed');
    const mappings = [
      { deployment_id: first, ratio: 1 },
      { deployment_id: second, ratio: 1 },
    ];
    expect((await admin.patch(path, { mappings })).status).toBe(200);
  });

  it('does not take a new name', async () => {
    const made = await makePublication(admin, projectId);
    const answer = await admin.patch<Problem>(`/api/v1/publications/${made.id}`, { name: 'other' });
    expect(answer.body.errors).toEqual([expect.objectContaining({ field: 'name' })]);
  });

  it('takes an unpublished name out of keys at once, so that its next owner inherits no callers', async () => {
    const gone = await makePublication(admin, projectId, { aliases: [unique('alias')] });
    const stays = await makePublication(admin, projectId);
    const key = await issueKey(admin, projectId, [gone.name, gone.aliases[0] ?? '', stays.name]);
    const only = await issueKey(admin, projectId, [gone.name]);
    await admin.delete(`/api/v1/publications/${gone.id}`);
    const shrunk = await admin.get(`/api/v1/model-api-keys/${key.id}`);
    const suspended = await admin.get(`/api/v1/model-api-keys/${only.id}`);
    expect(shrunk.body).toMatchObject({ allowed_models: [stays.name], suspended: false });
    expect(suspended.body).toMatchObject({ allowed_models: [], suspended: true, status: 'ACTIVE' });
    expect(harness.coordinator.keys.has(only.id)).toBe(false);
    expect(harness.coordinator.keys.get(key.id)?.allowed_models).toEqual([stays.name]);
  });

  it('takes a dropped alias out of keys as well', async () => {
    const made = await makePublication(admin, projectId, { aliases: [unique('alias')] });
    const key = await issueKey(admin, projectId, [made.name, made.aliases[0] ?? '']);
    await admin.patch(`/api/v1/publications/${made.id}`, { aliases: [] });
    const { body } = await admin.get(`/api/v1/model-api-keys/${key.id}`);
    expect(body).toMatchObject({ allowed_models: [made.name] });
  });

  describe('for other callers', () => {
    it('hides publications of projects the caller has no role in', async () => {
      const made = await makePublication(admin, projectId);
      const outsider = harness.as((await makeUser(admin)).token);
      expect((await outsider.get(`/api/v1/publications/${made.id}`)).status).toBe(404);
      expect((await outsider.patch(`/api/v1/publications/${made.id}`, {})).status).toBe(404);
      expect((await outsider.get<Page<object>>('/api/v1/publications')).body.items).toEqual([]);
    });

    it('does not let a project map the deployments of another one', async () => {
      const own = await makeProject(admin);
      const member = harness.as((await makeUser(admin, { projectId: own, role: 'member' })).token);
      const body = {
        project_id: own,
        name: unique('foreign'),
        mappings: [{ deployment_id: first, ratio: 1 }],
      };
      const answer = await member.post<Problem>('/api/v1/publications', body);
      expect(answer.status).toBe(400);
      expect(answer.body.errors?.[0]?.field).toBe('mappings.0.deployment_id');
    });

    it('lets a viewer read and nothing else', async () => {
      const made = await makePublication(admin, projectId);
      const viewer = harness.as((await makeUser(admin, { projectId, role: 'viewer' })).token);
      expect((await viewer.get(`/api/v1/publications/${made.id}`)).status).toBe(200);
      expect((await viewer.patch(`/api/v1/publications/${made.id}`, {})).status).toBe(403);
      expect((await viewer.delete(`/api/v1/publications/${made.id}`)).status).toBe(403);
    });

    it('asks for a token', async () => {
      expect((await harness.as(null).get('/api/v1/publications')).status).toBe(401);
    });
  });
});
