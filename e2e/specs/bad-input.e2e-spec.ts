import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { CoordinatorApi } from '../support/coordinator-api.ts';
import { call, type Answer } from '../support/http.ts';
import { ManagerApi } from '../support/manager-api.ts';
import { ModelFixture } from '../support/model-fixture.ts';
import { sendRaw, statusOf } from '../support/raw-http.ts';
import { bearer, type OpenAiError } from '../support/router-api.ts';
import { sharedStack } from '../support/shared-stack.ts';

const LIMIT_BYTES = 32 * 1024 * 1024;
const stack = sharedStack();
let fixture: ModelFixture;

beforeAll(async () => {
  fixture = await ModelFixture.create(stack, [{ ratio: 1, replicas: 1 }]);
});
afterAll(() => fixture.stop());

function post(
  body: string | Buffer | object,
  headers: Record<string, string> = {},
): Promise<Answer<OpenAiError>> {
  return call(`${fixture.router.baseUrl}/chat/completions`, {
    body,
    headers: { ...bearer(fixture.key), ...headers },
  });
}

function expectRefusal(answer: Answer<OpenAiError>, status: number): void {
  expect({ status: answer.status, text: answer.text.slice(0, 300) }).toMatchObject({ status });
  expect(answer.json.error.message.length).toBeGreaterThan(10);
}

/** A valid chat body of exactly so many bytes. */
function bodyOf(bytes: number): string {
  const before = `{"model":"${fixture.name}","max_tokens":1,"messages":[{"role":"user","content":"`;
  return `${before}${'x'.repeat(bytes - before.length - 4)}"}]}`;
}

describe('the router says what is wrong with a request', () => {
  it.each([
    ['text that is no JSON', 'nonsense'],
    ['a cut JSON text', '{"model":"x","messages":['],
    ['a JSON list', '[]'],
    ['an empty body', ''],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['no model', { messages: [] }],
    ['a model that is a number', { model: 7, messages: [] }],
    ['an empty model', { model: '', messages: [] }],
    ['a null model', { model: null, messages: [] }],
  ])('%s is 400', async (_name, body) => {
    expectRefusal(await post(body), 400);
  });

  it('two different models in one body are 400', async () => {
    const body = `{"model":"${fixture.name}","messages":[],"model":"other"}`;
    expectRefusal(await post(body), 400);
  });

  it('a deeply nested body is answered, not crashed on', async () => {
    const answer = await post(
      `{"model":"${fixture.name}","messages":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    );
    expect(answer.status).toBeGreaterThanOrEqual(200);
    expect(answer.status).toBeLessThan(500);
  });

  it('an unknown model is 404, in a message that names it', async () => {
    const answer = await post({ model: 'nobody/published "this"', messages: [] });
    expectRefusal(answer, 404);
    expect(answer.json.error.message).toContain('nobody/published');
  });

  it('a wrong method is 405 and an unknown path 404', async () => {
    const url = `${fixture.router.baseUrl}/chat/completions`;
    const wrong = await call<OpenAiError>(url, { headers: bearer(fixture.key) });
    expectRefusal(wrong, 405);
    expect(String(wrong.headers['allow'])).toContain('POST');
    expectRefusal(
      await call(`${fixture.router.baseUrl}/nothing/here`, { headers: bearer(fixture.key) }),
      404,
    );
  });

  it('a wrong content type is 415', async () => {
    expectRefusal(await post('model=x', { 'content-type': 'application/x-www-form-urlencoded' }), 415);
  });

  it('a body at the limit and one byte below passes, one byte above is 413', async () => {
    expect((await post(bodyOf(LIMIT_BYTES - 1))).status).toBe(200);
    expect((await post(bodyOf(LIMIT_BYTES))).status).toBe(200);
    expectRefusal(await post(bodyOf(LIMIT_BYTES + 1)), 413);
  }, 60_000);

  it('a chunked body above the limit is 413 too', async () => {
    const answer = await fetch(`${fixture.router.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(fixture.key) },
      body: new Blob([bodyOf(LIMIT_BYTES + 1)]).stream(),
      duplex: 'half',
    }).catch(() => null);
    expect(answer?.status).toBe(413);
  }, 60_000);

  it('a header flood is 431 and the router lives on', async () => {
    const flood = Array.from({ length: 5_000 }, (_, index) => `x-flood-${index}: ${'y'.repeat(64)}\r\n`).join(
      '',
    );
    const raw = await sendRaw(fixture.router.baseUrl, `GET /v1/models HTTP/1.1\r\nhost: x\r\n${flood}\r\n`);
    expect([400, 431]).toContain(statusOf(raw));
    expect((await fixture.router.chat(fixture.key, fixture.name)).status).toBe(200);
  });

  it.each([
    ['bad Authorization bytes', 'authorization: Bearer \x01\x02\xff\xfe\r\n'],
    ['Authorization in Latin-1', 'authorization: Bearer sk-\xe9\xe8\xff\r\n'],
    ['an Authorization of 8 KB', `authorization: Bearer ${'k'.repeat(8_000)}\r\n`],
    ['Authorization without a scheme', 'authorization: sk-only\r\n'],
    ['Basic Authorization', 'authorization: Basic dXNlcjpwYXNz\r\n'],
    ['two Authorization headers', 'authorization: Bearer a\r\nauthorization: Bearer b\r\n'],
  ])('%s is 400 or 401', async (_name, header) => {
    const head = `GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${header}\r\n`;
    const raw = await sendRaw(fixture.router.baseUrl, Buffer.from(head, 'latin1'));
    expect([400, 401]).toContain(statusOf(raw));
    expect((await fixture.router.chat(fixture.key, fixture.name)).status).toBe(200);
  });

  it.each([
    ['both length and chunks', 'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'content-length: 5\r\ncontent-length: 6\r\n\r\nhello'],
    ['an unknown transfer coding', 'transfer-encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ])('a request with %s is refused and its connection closed', async (_name, rest) => {
    const head =
      'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
      `authorization: Bearer ${fixture.key}\r\n`;
    expect(statusOf(await sendRaw(fixture.router.baseUrl, head + rest))).toBe(400);
  });
});

describe('the manager says what is wrong with a request', () => {
  const manager = new ManagerApi(stack.info);
  interface Problem {
    type: string;
    title: string;
    status: number;
    code: string;
    requestId: string;
    errors?: { field: string; message: string }[];
  }

  it.each([
    ['/projects', { name: '' }],
    ['/users', { name: 7 }],
    ['/deployments', { project_id: 'no-uuid', name: 'x' }],
    ['/publications', { project_id: 'no-uuid', name: '', mappings: 'none' }],
    ['/model-api-keys', { allowed_models: [] }],
  ])('POST %s with bad fields is a problem that names each', async (path, body) => {
    const answer = await manager.raw<Problem>(path, { method: 'POST', body });
    expect([400, 422]).toContain(answer.status);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.json.errors?.length).toBeGreaterThanOrEqual(1);
    for (const { field, message } of answer.json.errors ?? [])
      expect([typeof field, message.length > 3]).toEqual(['string', true]);
  });

  it.each([
    ['GET', '/nothing', 404],
    ['GET', '/projects/00000000-0000-4000-8000-000000000000', 404],
    ['GET', '/projects/no-uuid', 400],
    ['GET', '/projects?limit=0', 400],
    ['GET', '/projects?limit=201', 400],
    ['GET', '/projects?cursor=%00', 400],
    ['PUT', '/projects', 405],
  ] as const)('%s %s is %i in problem form', async (method, path, status) => {
    const answer = await manager.raw<Problem>(path, { method });
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ status, code: expect.any(String), requestId: expect.any(String) });
  });

  it('broken JSON is 400, a wrong type 415, and no token 401', async () => {
    expect((await manager.raw('/projects', { method: 'POST', body: '{' })).status).toBe(400);
    const form = { method: 'POST' as const, body: 'a=b', headers: { 'content-type': 'text/csv' } };
    expect((await manager.raw('/projects', form)).status).toBe(415);
    expect((await call(`${stack.info.manager_url}/api/v1/projects`)).status).toBe(401);
    expect((await manager.raw('/projects', { headers: { authorization: 'Bearer \u00e9' } })).status).toBe(
      401,
    );
  });

  it('refuses replicas outside the networks of the operator', async () => {
    const { id } = await manager.createProject();
    const replicas = [{ host: '169.254.169.254', port: 80 }];
    const answer = await manager.raw('/deployments', {
      method: 'POST',
      body: { project_id: id, name: 'x', replicas },
    });
    expect([400, 422]).toContain(answer.status);
  });
});

describe('the coordinator says what is wrong with a request', () => {
  const coordinator = new CoordinatorApi(stack.info);
  const models = `/v2/routers/${stack.info.authority}/models`;
  interface WireProblem {
    type: string;
    title: string;
    error_code: string;
    data?: { errors?: object[] };
  }

  it.each([
    ['PUT', '/api/worker', {}, 400],
    ['PUT', `${models}/m`, { mappings: [{ endpoint_id: 'x', ratio: -1 }] }, 400],
    ['PUT', `/v2/routers/${stack.info.authority}/api-keys/k`, { token_hash: 'short' }, 400],
    ['POST', '/v2/endpoints/bulk', { endpoints: [{}] }, 400],
    ['POST', '/v2/endpoints/bulk/routes', [], 400],
    ['PUT', '/v2/routers/nobody/models/m', { mappings: [] }, 404],
    ['GET', '/v2/nothing', undefined, 404],
    ['GET', '/api/worker/no-uuid', undefined, 400],
    ['DELETE', '/api/slots', undefined, 405],
  ] as const)('%s %s %j is %i in its own form', async (method, path, body, status) => {
    const answer = await coordinator.raw<WireProblem>(
      path,
      body === undefined ? { method } : { method, body },
    );
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
    expect(answer.json.type).toMatch(/^https:\/\/api\.backend\.ai\/probs\//);
    expect(typeof answer.json.error_code).toBe('string');
  });

  it('a wrong secret is 401 and broken JSON 400', async () => {
    const headers = { 'x-backendai-token': 'wrong' };
    expect((await coordinator.raw('/api/worker', { headers })).status).toBe(401);
    expect((await coordinator.raw('/v2/endpoints/bulk', { method: 'POST', body: '{' })).status).toBe(400);
  });
});
