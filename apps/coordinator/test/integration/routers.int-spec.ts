import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES } from '@penstock/protocol';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeRouterNode, registration } from '../support/fake-router-node.js';
import { loadVectors, withPlaceholders } from '../support/vectors.js';

interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: Record<string, unknown>;
  readonly status: number;
  readonly error_title?: string;
  readonly response?: Record<string, unknown>;
}

const { routers } = loadVectors<{ routers: readonly Exchange[] }>('manager-api.json');
const VECTOR_NODE = '1b2c3d4e-0000-4000-8000-0000000000f1';

describe('router management', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  let authority: string;
  let nodes: FakeRouterNode[];

  beforeEach(async () => {
    authority = uniqueAuthority();
    nodes = [];
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl: testRedisUrl() });
  });

  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.leave()));
    await coordinator.stop();
    await database.drop();
  });

  async function join(acks?: 'always' | 'never' | 'without-node-id'): Promise<FakeRouterNode> {
    const node = await FakeRouterNode.join(coordinator, {
      authority,
      redisUrl: testRedisUrl(),
      ...(acks && { acks }),
    });
    nodes.push(node);
    return node;
  }

  function vector(name: string): Exchange {
    const found = routers.find((exchange) => exchange.name === name);
    if (!found) throw new Error(`no vector ${name}`);
    return withPlaceholders(found, {
      'router-seoul-1': authority,
      [VECTOR_NODE]: nodes[0]?.nodeId ?? VECTOR_NODE,
    });
  }

  /** The answer as recorded, except for the revision (ours starts at 0) and the time. */
  async function replay(name: string, revision?: string): Promise<void> {
    const { method, path, body, status, response, error_title } = vector(name);
    const answer = await coordinator.call(method, path, body ? { body } : {});
    expect({ name, status: answer.status }).toEqual({ name, status });
    if (error_title) expect(answer.body.title).toBe(error_title);
    if (response) expect(comparable(answer.body)).toEqual(comparable(response, revision));
  }

  it('answers the publication calls as recorded', async () => {
    await join();
    await coordinator.call('PUT', `/v2/routers/${authority}/models/embed-1`, { body: {} });
    await replay('put-model', '2');
    await replay('put-model-unchanged', '2');
    await replay('put-model-name-conflict');
    await replay('put-model-negative-ratio');
    const list = await coordinator.call('GET', `/v2/routers/${authority}/models`);
    const expected = vector('list-models').response as { models: { model: string }[] };
    expect(byName(list.body.models)).toEqual(byName(expected.models));
    expect(list.body).toMatchObject({ authority, revision: '2' });
    await replay('delete-model', '3');
    await replay('delete-model-missing', '3');
  });

  it('answers the key calls as recorded', async () => {
    await join();
    await replay('put-key', '1');
    await replay('list-keys', '1');
    await replay('put-key-bad-hash');
    await replay('delete-key', '2');
    await replay('unknown-authority');
  });

  it('defers at once when no node is alive', async () => {
    await coordinator.call('PUT', '/api/worker', { body: { ...registration(authority), node_id: 'gone' } });
    const { body } = await coordinator.call('GET', '/api/worker');
    await coordinator.call('DELETE', `/api/worker/${body.workers[0]?.id}?node_id=gone`);
    await replay('put-model-no-live-node', '1');
  });

  it('succeeds as deferred when the living nodes do not answer in time', async () => {
    await join('never');
    const answer = await coordinator.call('PUT', `/v2/routers/${authority}/models/m`, { body: {} });
    expect(answer.body.propagation).toMatchObject({ status: 'deferred', first_ack_node: null });
    expect(answer.body.propagation.waited_ms).toBeGreaterThanOrEqual(1_400);
  });

  it('takes an ack without a node id for the first one', async () => {
    await join('without-node-id');
    const answer = await coordinator.call('PUT', `/v2/routers/${authority}/models/m`, { body: {} });
    expect(answer.body.propagation).toMatchObject({ status: 'applied', first_ack_node: null });
  });

  it('announces each change with its revision, full publications, and never a hash', async () => {
    const node = await join();
    const mapping = { endpoint_id: 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01', ratio: 0.5 };
    const policy = { retries: 2 };
    await coordinator.call('PUT', `/v2/routers/${authority}/models/m`, {
      body: { mappings: [mapping], policy },
    });
    await coordinator.call('PUT', `/v2/routers/${authority}/api-keys/k`, {
      body: { token_hash: 'a'.repeat(64) },
    });
    await coordinator.call('DELETE', `/v2/routers/${authority}/api-keys/k`);
    await coordinator.call('DELETE', `/v2/routers/${authority}/models/m`);
    expect(node.heard(EVENT_NAMES.routerModelUpdated)[0]).toMatchObject({
      revision: '1',
      model: { model: 'm', mappings: [mapping], policy },
    });
    expect(node.events.slice(1)).toEqual([
      { name: EVENT_NAMES.routerKeyUpdated, authority, key_id: 'k', revision: '2' },
      { name: EVENT_NAMES.routerKeyRemoved, authority, key_id: 'k', revision: '3' },
      { name: EVENT_NAMES.routerModelRemoved, authority, model_name: 'm', revision: '4' },
    ]);
  });

  it('neither bumps nor announces a key that is put again as it is', async () => {
    const node = await join();
    const path = `/v2/routers/${authority}/api-keys/k`;
    const body = {
      token_hash: 'b'.repeat(64),
      expires_at: '2027-01-01T00:00:00Z',
      attributes: { a: 1, b: 2 },
    };
    await coordinator.call('PUT', path, { body });
    const again = await coordinator.call('PUT', path, {
      body: { ...body, expires_at: 1798761600, attributes: { b: 2, a: 1 } },
    });
    expect(again.body.propagation).toEqual({
      status: 'unchanged',
      revision: '1',
      first_ack_node: null,
      waited_ms: 0,
    });
    expect(node.events).toHaveLength(1);
  });

  it('refuses a hash that another key of the authority has, which no router could serve', async () => {
    await join();
    const put = (keyId: string, hash: string) =>
      coordinator.call('PUT', `/v2/routers/${authority}/api-keys/${keyId}`, {
        body: { token_hash: hash.repeat(64) },
      });
    await put('first', 'a');
    const twin = await put('second', 'A');
    expect(twin).toMatchObject({
      status: 409,
      body: { title: 'Another key of this authority has this hash.', data: { key_id: 'first' } },
    });
    expect(JSON.stringify(twin.body).toLowerCase()).not.toContain('aaaa');
    expect((await put('first', 'b')).status).toBe(200);
    expect((await put('second', 'a')).body.propagation.status).toBe('applied');
  });

  it.each(['org/model', 'a%b', 'with space', '모델', 'a?b#c'])('takes %s for a name', async (name) => {
    await join();
    const path = `/v2/routers/${authority}/models/${encodeURIComponent(name)}`;
    const answer = await coordinator.call('PUT', path, { body: {} });
    expect(answer.body.model.model).toBe(name);
    expect((await coordinator.call('DELETE', path)).body.propagation.status).toBe('applied');
  });

  it('refuses an endpoint that lives on another authority and takes one it does not know', async () => {
    await join();
    const other = uniqueAuthority();
    await coordinator.call('PUT', '/api/worker', { body: registration(other) });
    const deployment_id = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';
    const tags = {
      session: { user_uuid: 'u', project_id: 'p', domain_name: 'd' },
      endpoint: { id: deployment_id },
    };
    const item = { deployment_id, service_name: 's', tags, authority: other };
    await coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints: [item] } });
    const put = (endpoint_id: string) =>
      coordinator.call('PUT', `/v2/routers/${authority}/models/m`, { body: { mappings: [{ endpoint_id }] } });
    expect(await put(deployment_id)).toMatchObject({
      status: 409,
      body: { data: { endpoint_id: deployment_id, authority: other } },
    });
    expect((await put(deployment_id.replace('ea01', 'eb02'))).status).toBe(200);
  });

  it('says which field of a publication is wrong', async () => {
    await join();
    const mapping = { endpoint_id: 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01' };
    const put = (body: object) => coordinator.call('PUT', `/v2/routers/${authority}/models/m`, { body });
    const twice = await put({ mappings: [mapping, mapping] });
    expect(twice.body.data.errors[0]?.loc).toEqual(['mappings', 1, 'endpoint_id']);
    for (const ratio of [-1, 'x', null]) {
      expect((await put({ mappings: [{ ...mapping, ratio }] })).body.data.errors[0]?.loc).toEqual([
        'mappings',
        0,
        'ratio',
      ]);
    }
    const infinite = await coordinator.call('PUT', `/v2/routers/${authority}/models/m`, {
      rawBody: `{"mappings":[{"endpoint_id":"${mapping.endpoint_id}","ratio":1e999}]}`,
    });
    expect(infinite.status).toBe(400);
  });

  it('takes a burst of changes without refusing one', async () => {
    await join();
    const put = (n: number) =>
      coordinator.call('PUT', `/v2/routers/${authority}/api-keys/k${n}`, {
        body: { token_hash: n.toString(16).padStart(64, 'e') },
      });
    const answers = await Promise.all(Array.from({ length: 150 }, (_none, n) => put(n)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.propagation.revision)).size).toBe(150);
  });

  it('hands out one revision per change under many writers, and never one name twice', async () => {
    await join();
    const put = (n: number) =>
      coordinator.call('PUT', `/v2/routers/${authority}/models/m${n}`, {
        body: { aliases: [`alias-${n % 5}`] },
      });
    const answers = await Promise.all(Array.from({ length: 20 }, (_none, n) => put(n)));
    const won = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(15);
    expect(won.map(({ body }) => body.propagation.revision).sort()).toEqual(['1', '2', '3', '4', '5']);
  });
});

/** Without the time waited; with our revision where the vector has another. */
function comparable(body: object, revision?: string): unknown {
  const copy = structuredClone(body) as { revision?: string; propagation?: Record<string, unknown> };
  if (revision && copy.revision) copy.revision = revision;
  if (copy.propagation) {
    if (revision) copy.propagation.revision = revision;
    copy.propagation.waited_ms = typeof copy.propagation.waited_ms;
  }
  return copy;
}

function byName(models: readonly { model: string }[]): unknown {
  return [...models].sort((a, b) => (a.model < b.model ? -1 : 1));
}
