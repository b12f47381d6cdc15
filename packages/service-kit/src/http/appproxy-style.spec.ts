import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type ScriptedService, startScriptedService } from '../testing/scripted-service.js';
import { sendRaw } from '../testing/send-raw.js';

const PROBS = 'https://api.backend.ai/probs/';
const JSON_TYPE = { 'content-type': 'application/json' };
const ID = '7e57ab1e-0000-4000-8000-000000000001';

describe('a service that answers in the AppProxy style', () => {
  let service: ScriptedService;

  beforeAll(async () => {
    service = await startScriptedService({ errors: 'appproxy', bodyLimitBytes: 1000 });
  });
  afterAll(() => service.close());

  it('names itself BackendAI and sends JSON with a charset', async () => {
    const answer = await service.call('/things');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('server')).toBe('BackendAI');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('lets browsers read errors: a star without an Origin, the Origin itself with one', async () => {
    const plain = await service.call('/nope');
    expect(plain.headers.get('access-control-allow-origin')).toBe('*');
    expect(plain.headers.get('access-control-expose-headers')).toBe('*');
    const cors = await service.call('/nope', { headers: { origin: 'https://console.example.com' } });
    expect(cors.headers.get('access-control-allow-origin')).toBe('https://console.example.com');
    expect(cors.headers.get('access-control-expose-headers')).toBe('Date,Content-Length,Server');
  });

  it('answers a preflight for a route that exists', async () => {
    const answer = await service.call('/things', {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'PUT' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://a.example');
    expect(answer.headers.get('access-control-allow-methods')).toBe('PUT');
  });

  it.each(['/nope', '/things/', '/nope?token=hidden'])(
    'says url-not-found with the path for %s',
    async (path) => {
      const answer = await service.call(path);
      expect(answer.status).toBe(404);
      expect(answer.json).toEqual({
        type: `${PROBS}url-not-found`,
        title: 'Unknown URL path.',
        error_code: 'agent_request_not-found',
        data: path.split('?')[0],
      });
    },
  );

  it('says url-not-found before it looks at the body', async () => {
    const answer = await service.call('/nope', { method: 'POST', headers: JSON_TYPE, body: '{bad' });
    expect(answer.status).toBe(404);
  });

  it('lists the methods of a path on 405', async () => {
    const answer = await service.call(`/things/${ID}`, { method: 'PUT' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('DELETE, GET, PATCH, OPTIONS');
    expect(answer.json).toEqual({
      type: `${PROBS}method-not-allowed`,
      title: 'HTTP Method Not Allowed.',
      error_code: 'agent_request_bad-request',
      msg: 'Method PUT not allowed',
      data: { allowed_methods: ['DELETE', 'GET', 'PATCH', 'OPTIONS'] },
    });
  });

  it('refuses HEAD, which no route answers', async () => {
    expect((await service.call('/things', { method: 'HEAD' })).status).toBe(405);
  });

  it('honours X-Method-Override', async () => {
    const answer = await service.call(`/things/${ID}`, {
      method: 'POST',
      headers: { 'x-method-override': 'PATCH' },
    });
    expect(answer.json).toEqual({ method: 'PATCH', body: null });
  });

  it.each(['PATCH', 'DELETE'])('accepts an empty octet-stream body on %s', async (method) => {
    const raw = await sendRaw(
      service.port,
      `${method} /things/${ID} HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    );
    expect(raw).toContain('HTTP/1.1 200 OK');
    expect(raw).toContain(`{"method":"${method}","body":null}`);
  });

  it('counts an absent body as an empty object', async () => {
    const answer = await service.call('/things', { method: 'PUT' });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      type: `${PROBS}invalid-api-params`,
      title: 'Missing or invalid API parameters.',
      error_code: 'agent_request_invalid-parameters',
      msg: 'Input validation error',
      data: { errors: [{ type: 'missing', loc: ['name'], msg: 'Field required' }] },
    });
  });

  it.each([
    ['broken JSON', '{bad', JSON_TYPE],
    ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['an array', '[1]', JSON_TYPE],
    ['a bare string', '"x"', JSON_TYPE],
    ['null', 'null', JSON_TYPE],
  ])('calls %s a malformed body', async (_what, body, headers) => {
    const answer = await service.call('/things', { method: 'PUT', body, headers });
    expect(answer.status).toBe(400);
    expect(answer.json.msg).toBe('Malformed body');
  });

  it('reads JSON whatever its content type', async () => {
    const answer = await service.call('/things', {
      method: 'PUT',
      body: '{"name":"a"}',
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer.json).toEqual({ name: 'a', replicas: [] });
  });

  it('answers 400 to a path id that is no UUID', async () => {
    const answer = await service.call('/things/not-a-uuid');
    expect(answer.status).toBe(400);
    expect(answer.json.error_code).toBe('agent_request_invalid-parameters');
    expect(answer.json.data).toMatchObject({ errors: [{ loc: ['id'] }] });
  });

  it.each([`{"name":"${'x'.repeat(989)}"}`, `{"name":"${'x'.repeat(990)}"}`])(
    'takes a body of exactly the limit and not one byte more',
    async (body) => {
      const answer = await service.call('/things', { method: 'PUT', headers: JSON_TYPE, body });
      expect(answer.status).toBe(body.length <= 1000 ? 200 : 413);
    },
  );

  it('answers 400 to bad percent-encoding in the path', async () => {
    const raw = await sendRaw(
      service.port,
      'GET /things/%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    );
    expect(raw).toContain('HTTP/1.1 400 ');
    expect(raw).toContain('server: BackendAI');
    expect(raw).toContain('agent_request_invalid-parameters');
  });

  it('answers 431 to a flood of headers', async () => {
    const flood = Array.from({ length: 400 }, (_, index) => `x-${index}: ${'y'.repeat(100)}\r\n`).join('');
    const raw = await sendRaw(service.port, `GET /things HTTP/1.1\r\nhost: x\r\n${flood}\r\n`);
    expect(raw).toMatch(/^HTTP\/1\.1 431 /);
    expect(raw).toContain('"error_code":"agent_request_bad-request"');
  });

  it('answers 400 to what is no HTTP', async () => {
    expect(await sendRaw(service.port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('passes wire errors through and hides bugs', async () => {
    const wire = await service.call('/fail/wire');
    expect([wire.status, wire.json.title]).toEqual([404, 'E00002: No such worker.']);
    const bug = await service.call('/fail/bug');
    expect(bug.status).toBe(500);
    expect(bug.json).toEqual({
      type: `${PROBS}internal-server-error`,
      title: 'Internal server error.',
      error_code: 'agent_generic_internal-error',
    });
  });

  it('turns an error of ours into a 503 with Retry-After', async () => {
    const answer = await service.call('/fail/busy');
    expect([answer.status, answer.headers.get('retry-after'), answer.json.msg]).toEqual([503, '3', 'Later.']);
  });
});
