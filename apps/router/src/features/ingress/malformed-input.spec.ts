import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AUTH_LINES, errorOf, rawExchange, rawPost } from '../../testing/raw-client.js';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { KEY } from '../../testing/snapshots.js';
import { modelOn, TEST_SETTINGS, TestRouter } from '../../testing/test-router.js';

const LIMIT = TEST_SETTINGS.bodyLimitBytes;

let upstream: ScriptedUpstream;
let router: TestRouter;

beforeEach(async () => {
  upstream = await new ScriptedUpstream().listen();
  router = await new TestRouter().start(modelOn(upstream.port));
});

afterEach(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

/** Sends bytes as they are and returns all that comes back until the connection is closed. */
function raw(text: string): Promise<string> {
  return rawExchange(router.port, text);
}

describe('a body that cannot be served', () => {
  it.each([
    ['', 400, 'invalid_json', 'empty'],
    ['{"model":"m"', 400, 'invalid_json', 'unexpected end of the JSON text, at byte 12'],
    ['{"model":"m",}', 400, 'invalid_json', 'byte 13'],
    ['[]', 400, 'invalid_json', 'must start with {'],
    ['"m"', 400, 'invalid_json', 'must start with {'],
    ['{}', 400, 'missing_model', 'names no model'],
    ['{"model":""}', 400, 'missing_model', 'must not be empty'],
    ['{"model":1}', 400, 'invalid_request', 'must be a string'],
    ['{"model":null}', 400, 'invalid_request', 'must be a string'],
    ['{"model":"m","model":"n"}', 400, 'invalid_request', 'appears twice'],
    ['{"model":"m","mod\\u0065l":"n"}', 400, 'invalid_request', 'appears twice'],
    ['{"model":"nope"}', 404, 'model_not_found', 'does not exist'],
  ])('%j is %d %s', async (body, status, code, words) => {
    const response = await router.chat(body);
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(words);
    expect(upstream.seen).toHaveLength(0);
  });

  it('is refused when it is not UTF-8, which readers would repair in different ways', async () => {
    const body = Buffer.concat([
      Buffer.from('{"model":"m","x":"'),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}'),
    ]);
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const response = await fetch(`${router.url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('not valid UTF-8');
  });

  it.each([
    ['text/plain'],
    ['multipart/form-data; boundary=x'],
    ['application/x-www-form-urlencoded'],
    ['application/jsonx'],
  ])('of type %s is 415', async (type) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': type };
    const response = await router.chat(undefined, { headers });
    expect(response.status).toBe(415);
    expect(await response.text()).toContain('application/json');
  });

  it.each([['application/json; charset=utf-8'], ['Application/JSON'], ['application/vnd.x+json']])(
    'of type %s is served',
    async (type) => {
      expect(
        (await router.chat(undefined, { headers: { authorization: `Bearer ${KEY}`, 'content-type': type } }))
          .status,
      ).toBe(200);
    },
  );
});

describe('the body limit', () => {
  const bodyOf = (size: number) => `{"model":"m","x":"${'y'.repeat(size - 20)}"}`;

  it.each([
    [LIMIT - 1, 200],
    [LIMIT, 200],
    [LIMIT + 1, 413],
  ])('with %d bytes of a known length answers %d', async (size, status) => {
    const response = await router.chat(bodyOf(size));
    expect(response.status).toBe(status);
    const text = await response.text();
    if (status === 413) expect(text).toContain(`limit of ${LIMIT} bytes`);
    else expect(upstream.calls[0]?.body.length).toBe(size + 'served'.length - 1);
  });

  it.each([
    [LIMIT - 1, 200],
    [LIMIT, 200],
    [LIMIT + 1, 413],
  ])('with %d bytes in chunks answers %d', async (size, status) => {
    const body = bodyOf(size);
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += 100_000)
          controller.enqueue(Buffer.from(body.slice(at, at + 100_000)));
        controller.close();
      },
    });
    const response = await router.chat(undefined, { body: stream, duplex: 'half' });
    expect(response.status).toBe(status);
  });

  it('is applied from the announced length, before any of the body is read, and the connection is closed', async () => {
    const answer = await raw(rawPost(`${AUTH_LINES}content-length: ${LIMIT + 1}\r\n`));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(errorOf(answer).code).toBe('request_too_large');
  });

  it('is told before a client that waits for leave sends its body', async () => {
    const answer = await raw(
      rawPost(`${AUTH_LINES}expect: 100-continue\r\ncontent-length: ${LIMIT + 1}\r\n`),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).not.toContain('100 Continue');
  });
});

describe('a request line that is not served', () => {
  it.each([
    ['GET', '/v1/chat/completions', 405, 'method_not_allowed', 'POST, OPTIONS'],
    ['DELETE', '/v1/models', 405, 'method_not_allowed', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v1/models/m', 405, 'method_not_allowed', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/chat/completion', 404, 'unknown_url', null],
    ['GET', '/', 404, 'unknown_url', null],
    ['GET', '/v1/models/', 404, 'unknown_url', null],
  ])('%s %s is %d', async (method, path, status, code, allow) => {
    const response = await fetch(`${router.url}${path}`, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
    expect(response.headers.get('allow')).toBe(allow);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  });
});

describe('bytes that make no clean request', () => {
  const BODY = '{"model":"m"}';
  const LENGTH = `content-length: ${BODY.length}\r\n`;

  it.each([
    ['two lengths', `${AUTH_LINES}${LENGTH}content-length: 5\r\n`],
    ['length and chunks', `${AUTH_LINES}${LENGTH}transfer-encoding: chunked\r\n`],
    ['a signed length', `${AUTH_LINES}content-length: +13\r\n`],
    ['an unknown coding', `${AUTH_LINES}transfer-encoding: xchunked\r\n`],
    ['a space before the colon', `${AUTH_LINES}content-length : 13\r\n`],
    ['a folded header', `${AUTH_LINES}x-a: b\r\n c\r\n${LENGTH}`],
    ['a null byte', `${AUTH_LINES}x-a: b\0c\r\n${LENGTH}`],
    ['a control byte in the credential', `authorization: Bearer sk-\x01\r\n${LENGTH}`],
  ])('%s: 400 in our form, and the connection is closed', async (_what, headers) => {
    const answer = await raw(rawPost(headers, BODY));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.toLowerCase()).toContain('x-request-id: req_');
    expect(errorOf(answer).code).toBe('invalid_request');
    expect(upstream.seen).toHaveLength(0);
  });

  it('without a host: 400', async () => {
    expect(await raw(`GET /v1/models HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('a flood of headers: 431', async () => {
    const flood = Array.from({ length: 2_000 }, (_, index) => `x-${index}: ${'y'.repeat(20)}\r\n`).join('');
    const answer = await raw(rawPost(`${AUTH_LINES}${flood}${LENGTH}`, BODY));
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(errorOf(answer).code).toBe('headers_too_large');
  });

  it('an expectation other than 100-continue: 417', async () => {
    expect(await raw(rawPost(`${AUTH_LINES}expect: 200-maybe\r\n${LENGTH}`, BODY))).toMatch(
      /^HTTP\/1\.1 417 /,
    );
  });

  it('an upgrade to WebSocket: refused in our form, while an offer of h2c is ignored', async () => {
    const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: AAAA\r\n';
    const answer = await raw(`GET /v1/models HTTP/1.1\r\nhost: x\r\n${upgrade}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(errorOf(answer).code).toBe('invalid_request');
    const offer = await raw(
      rawPost(`${AUTH_LINES}connection: upgrade, close\r\nupgrade: h2c\r\n${LENGTH}`, BODY),
    );
    expect(offer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('pipelined requests are answered one after the other, in order', async () => {
    const one = (marker: number) => {
      const body = `{"model":"m","n":${marker}}`;
      return rawPost(`${AUTH_LINES}content-length: ${body.length}\r\n`, body);
    };
    let open = 0;
    let most = 0;
    upstream.script = (seen, response) => {
      most = Math.max(most, (open += 1));
      setImmediate(() => {
        open -= 1;
        response.end(`{"n":${(JSON.parse(seen.body) as { n: number }).n}}`);
      });
    };
    const last = rawPost(`${AUTH_LINES}connection: close\r\n${LENGTH}`, BODY);
    upstream.calls.length = 0;
    const answer = await raw(`${[1, 2, 3, 4].map(one).join('')}${last.replace(BODY, '{"model":"m"}')}`);
    expect([...answer.matchAll(/\{"n":(\d)\}/g)].map((match) => match[1])).toEqual(['1', '2', '3', '4']);
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(5);
    expect(most).toBe(1);
  });

  it('HTTP/1.0 gets its answer without chunks', async () => {
    upstream.script = (_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: 1\n\n');
    };
    const answer = await raw(`POST /v1/completions HTTP/1.0\r\n${AUTH_LINES}${LENGTH}\r\n${BODY}`);
    expect(answer.toLowerCase()).not.toContain('transfer-encoding');
    expect(answer.endsWith('data: 1\n\n')).toBe(true);
  });

  it('leave the router serving', async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => raw(`${'\0\xff{'.repeat(index + 1)}\r\n\r\n`)),
    );
    expect((await router.chat()).status).toBe(200);
  });
});

describe('too much at once', () => {
  it('is shed at once with 503 and Retry-After', async () => {
    const small = await new TestRouter({ maxInFlight: 1 }).start(modelOn(upstream.port));
    const held: (() => void)[] = [];
    upstream.script = (_seen, response) => void held.push(() => response.end('{}'));
    const first = small.chat();
    while (upstream.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = await small.chat();
    expect(second.status).toBe(503);
    expect(second.headers.get('retry-after')).toBe('1');
    expect(await second.json()).toMatchObject({ error: { code: 'overloaded' } });
    for (const release of held) release();
    expect((await first).status).toBe(200);
  });
});
