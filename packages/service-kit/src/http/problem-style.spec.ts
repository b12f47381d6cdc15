import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@penstock/protocol';

import { HealthRegistry } from '../health/health-registry.js';
import { type ScriptedService, startScriptedService } from '../testing/scripted-service.js';
import { sendRaw } from '../testing/send-raw.js';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('a service that answers with problem documents', () => {
  const health = new HealthRegistry();
  let service: ScriptedService;

  beforeAll(async () => {
    service = await startScriptedService({
      errors: 'problem',
      bodyLimitBytes: 1000,
      probes: { health, metricsPath: '/metrics' },
      mapError: (error) =>
        (error as { code?: unknown }).code === 'DRIVER'
          ? new AppError('database.unavailable', 'The database is away.')
          : undefined,
    });
  });
  afterAll(() => service.close());

  it('reports every wrong field with its path', async () => {
    const body = JSON.stringify({ name: '', replicas: [{ port: 'x' }, {}], nmae: 1 });
    const answer = await service.call('/things?secret=1', { method: 'POST', headers: JSON_TYPE, body });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.json).toEqual({
      type: 'urn:penstock:error:request.invalid',
      title: 'Invalid request',
      status: 400,
      detail: '4 fields are not valid: name, replicas.0.port, replicas.1.port, nmae.',
      instance: '/things',
      code: 'request.invalid',
      requestId: answer.headers.get('x-request-id'),
      errors: [
        { field: 'name', message: expect.stringContaining('Too small') },
        { field: 'replicas.0.port', message: expect.stringContaining('expected number') },
        { field: 'replicas.1.port', message: 'is required' },
        { field: 'nmae', message: 'is not a known field' },
      ],
    });
  });

  it('gives every request an id of its own, sorted by time', async () => {
    const first = await service.call('/things', { headers: { 'x-request-id': 'mine' } });
    const second = await service.call('/things');
    const ids = [first, second].map(({ headers }) => headers.get('x-request-id') ?? '');
    expect(ids[0]).toMatch(/^req_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(2);
  });

  it.each([
    ['{bad', JSON_TYPE, 400, 'request.malformed'],
    ['{"name":', JSON_TYPE, 400, 'request.malformed'],
    [Buffer.from([0x22, 0xff, 0x22]), JSON_TYPE, 400, 'request.malformed'],
    ['a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'request.unsupported_media_type'],
    ['<a/>', { 'content-type': 'text/xml' }, 415, 'request.unsupported_media_type'],
    ['{"name":"a"}', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 415, 'request.unsupported_media_type'],
    ['['.repeat(500), JSON_TYPE, 400, 'request.malformed'],
    ['[1]', JSON_TYPE, 400, 'request.invalid'],
    [`{"name":"${'x'.repeat(990)}"}`, JSON_TYPE, 413, 'request.too_large'],
  ])('refuses the body %s with %s', async (body, headers, status, code) => {
    const answer = await service.call('/things', { method: 'POST', headers, body });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('lets a client that is still sending read why its body was refused', async () => {
    const length = 8_000_000;
    const raw = await sendRaw(
      service.port,
      `POST /things HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n${'x'.repeat(length)}` +
        'GET /things HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    );
    expect(raw.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
    expect(raw).toContain('"code":"request.too_large"');
  });

  it('does not repeat a malformed body, which may hold a secret', async () => {
    const answer = await service.call('/things', {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{"a": sk-secret',
    });
    expect(answer.text).not.toContain('sk-secret');
  });

  it.each([
    ['GET', '/things?limit=0', 400, 'request.invalid'],
    ['GET', '/things?limit=abc', 400, 'request.invalid'],
    ['GET', '/things/not-a-uuid', 400, 'request.invalid'],
    ['GET', '/nope', 404, 'request.not_found'],
    ['PATCH', '/things', 405, 'request.method_not_allowed'],
    ['GET', `/things/${'x'.repeat(2049)}`, 400, 'request.malformed'],
    ['GET', '/fail/app', 409, 'resource.conflict'],
    ['GET', '/fail/driver', 503, 'database.unavailable'],
    ['GET', '/fail/bug', 500, 'service.internal'],
  ])('answers %s %s with %i %s', async (method, path, status, code) => {
    const answer = await service.call(path, { method });
    expect([answer.status, answer.json.code, answer.json.status]).toEqual([status, code, status]);
    expect(answer.text).not.toMatch(/hidden|secret inside|driver broke/);
  });

  it('names the possible methods on 405', async () => {
    const answer = await service.call('/things', { method: 'DELETE' });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, PUT');
  });

  it.each([
    'GET /things/%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    'GET /things/%ff HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    'BREW /things HTTP/1.1\r\nhost: x\r\n\r\n',
    'POST /things HTTP/1.1\r\nhost: x\r\ncontent-length: abc\r\n\r\n',
    'POST /things HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
  ])('answers 400 to %j', async (bytes) => {
    const raw = await sendRaw(service.port, bytes);
    expect(raw).toMatch(/^HTTP\/1\.1 400 /);
    expect(raw).toContain('"code":"request.malformed"');
  });

  it('answers 431 to a flood of headers', async () => {
    const raw = await sendRaw(
      service.port,
      `GET / HTTP/1.1\r\nhost: x\r\ncookie: ${'y'.repeat(20_000)}\r\n\r\n`,
    );
    expect(raw).toMatch(/^HTTP\/1\.1 431 /);
    expect(raw).toContain('application/problem+json');
  });

  it.each(['LINK', 'PROPFIND', 'TRACE', 'OPTIONS'])('answers 405 to %s on a known path', async (method) => {
    const raw = await sendRaw(
      service.port,
      `${method} /things HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect(raw).toMatch(/^HTTP\/1\.1 40[45] /);
  });

  it('drops prototype keys from bodies, however they are spelt', async () => {
    const body = '{"name":"a","__pr\\u006fto__":{"x":1}}';
    const answer = await service.call('/things', { method: 'PUT', headers: JSON_TYPE, body });
    expect(answer.json).toEqual({ name: 'a', replicas: [] });
  });

  it('logs one event per request, with the pattern of the route and the error code', async () => {
    const answer = await service.call('/things/not-a-uuid?token=hidden');
    const id = answer.headers.get('x-request-id');
    const [event] = service.logs.filter((line) => line.request_id === id);
    expect(event).toMatchObject({
      route: '/things/:id',
      status: 400,
      'error.code': 'request.invalid',
      method: 'GET',
    });
    expect(JSON.stringify(event)).not.toContain('hidden');
    expect(await service.metrics.text()).toContain(
      'penstock_http_requests_total{method="GET",route="/things/:id",status="400",service="scripted"}',
    );
  });

  it('logs the cause of a bug once, under the id the caller got', async () => {
    const answer = await service.call('/fail/bug');
    const lines = service.logs.filter((line) => line.request_id === answer.json.requestId && 'err' in line);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.err).toMatchObject({ message: 'a bug with a secret inside' });
  });

  it('is alive whatever happens, and ready only while its checks pass', async () => {
    expect((await service.call('/readyz')).status).toBe(200);
    health.addReadiness('database', () => Promise.reject(new Error('connection refused')));
    const answer = await service.call('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.json).toEqual({
      ready: false,
      draining: false,
      checks: [{ name: 'database', ok: false, reason: 'connection refused' }],
    });
    expect((await service.call('/healthz')).json).toEqual({ status: 'ok' });
    expect((await service.call('/metrics')).text).toContain('penstock_http_requests_total');
  });
});
