import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { registration } from '../support/fake-router-node.js';
import { loadVectors } from '../support/vectors.js';

interface Vectors {
  readonly exchanges: readonly {
    readonly name: string;
    readonly request: { readonly path: string; readonly headers?: Readonly<Record<string, string>> };
    readonly status: number;
    readonly response_headers?: { readonly ETag: string };
    readonly response: Record<string, unknown> | null;
  }[];
}

const { exchanges } = loadVectors<Vectors>('router-config.json');
const snapshot = exchanges.find(({ name }) => name === 'first-pull')?.response as unknown as {
  models: { model: string }[];
  api_keys: { key_id: string }[];
};
const VECTOR_WORKER = '5b0e3c52-9d8e-4f37-8a11-6c2f0d7e4a10';
/** Two publications and two keys: the revision our service stands at where the vectors say 42. */
const OUR_REVISION = '4';

describe('router-config', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  let workerId: string;
  const authority = uniqueAuthority();

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl: testRedisUrl() });
    const body = { ...registration(authority), node_id: 'n' };
    workerId = (await coordinator.call('PUT', '/api/worker', { body })).body.id;
    await coordinator.call('DELETE', `/api/worker/${workerId}?node_id=n`);
    const base = `/v2/routers/${authority}`;
    for (const { model, ...content } of snapshot.models) {
      await coordinator.call('PUT', `${base}/models/${model}`, { body: content });
    }
    for (const { key_id, ...content } of snapshot.api_keys) {
      await coordinator.call('PUT', `${base}/api-keys/${key_id}`, { body: content });
    }
  });

  afterAll(async () => {
    await coordinator.stop();
    await database.drop();
  });

  const ours = (text: string) =>
    text
      .replace(VECTOR_WORKER, workerId)
      .replace('=42', `=${OUR_REVISION}`)
      .replace('"42"', `"${OUR_REVISION}"`);

  it.each(exchanges)(
    'answers as recorded: $name',
    async ({ request, status, response, response_headers }) => {
      const headers = Object.fromEntries(
        Object.entries(request.headers ?? {}).map(([name, value]) => [name, ours(value)]),
      );
      const authorised = { 'x-backendai-token': 'test-api-secret', ...headers };
      const sent = request.headers && Object.keys(request.headers).length === 0 ? {} : authorised;
      const answer = await coordinator.call('GET', ours(request.path), { headers: sent });
      expect(answer.status).toBe(status);
      if (response_headers) expect(answer.headers.get('etag')).toBe(ours(response_headers.ETag));
      expect(answer.body).toEqual(
        response && 'revision' in response ? { ...response, revision: OUR_REVISION } : response,
      );
    },
  );

  it('gives a worker that is no router an empty snapshot under revision 0', async () => {
    const stock = { ...registration(uniqueAuthority()), frontend_mode: 'port', port_range: [10_205, 10_207] };
    const body = { ...stock, accepted_traffics: ['interactive'] };
    const { body: worker } = await coordinator.call('PUT', '/api/worker', { body });
    const answer = await coordinator.call('GET', `/api/worker/${worker.id}/router-config`);
    expect(answer.body).toEqual({ revision: '0', models: [], api_keys: [] });
  });

  it('never hands out a revision with the content of another', async () => {
    const puts = Array.from({ length: 15 }, (_none, n) =>
      coordinator.call('PUT', `/v2/routers/${authority}/models/extra-${n}`, { body: {} }),
    );
    const pulls = Array.from({ length: 15 }, () =>
      coordinator.call('GET', `/api/worker/${workerId}/router-config`),
    );
    const [answers] = await Promise.all([Promise.all(pulls), Promise.all(puts)]);
    // Each of these changes adds one model, so revision and number of models tell the same.
    for (const { body } of answers) expect(body.models.length).toBe(Number(body.revision) - 2);
  });
});
