import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { KEY } from '../../testing/snapshots.js';
import { modelOn, TestRouter, until } from '../../testing/test-router.js';

const CHUNKS = ['안녕', '하세요 🙂', ' done'].map((content) =>
  chunk({ choices: [{ index: 0, delta: { content } }] }),
);
const USAGE = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
const DONE = 'data: [DONE]\n\n';

function chunk(fields: object): string {
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', ...fields })}\n\n`;
}

function startStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  return response;
}

/** Sends a POST on a raw socket, so that a test decides when it is closed. */
async function rawChat(router: TestRouter, body: object): Promise<Socket> {
  const text = JSON.stringify(body);
  const socket = connect(router.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return socket;
}

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

const STREAM = { model: 'm', messages: [], stream: true };

describe('a stream', () => {
  it('asks the replica for usage, and takes out again what only this put in, wherever the bytes are cut', async () => {
    const withNull = CHUNKS.map((event) => event.replace('}\n\n', ',"usage":null}\n\n'));
    const sent = Buffer.from(`: hi\n\n${withNull.join('')}${chunk({ choices: [], usage: USAGE })}${DONE}`);
    const expected = `: hi\n\n${CHUNKS.join('')}${DONE}`;
    for (const size of [1, 2, 3, 7, 16, 61, sent.length]) {
      upstream.script = (_seen, response) => {
        startStream(response);
        for (let at = 0; at < sent.length; at += size) response.write(sent.subarray(at, at + size));
        response.end();
      };
      const response = await router.chat(STREAM);
      expect(await response.text()).toBe(expected);
      expect(router.requests.at(-1)).toMatchObject({ prompt_tokens: 5, completion_tokens: 3, stream: true });
    }
    expect(JSON.parse(upstream.calls[0]?.body ?? '')).toEqual({
      ...STREAM,
      model: 'served',
      stream_options: { include_usage: true },
    });
  });

  it('is byte-identical to the replica when the caller asked for usage', async () => {
    const sent = `${CHUNKS.map((event) => event.replace('}\n\n', ', "usage": null}\r\n\r\n')).join('')}${chunk({ choices: [], usage: USAGE })}${DONE}`;
    upstream.script = (_seen, response) => void startStream(response).end(sent);
    const body = `{"model":"m","stream":true,"stream_options":{"include_usage":true,"x":1}}`;
    expect(await (await router.chat(body)).text()).toBe(sent);
    expect(upstream.calls[0]?.body).toBe(body.replace('"m"', '"served"'));
    expect(router.requests.at(-1)).toMatchObject({ completion_tokens: 3 });
  });

  it('arrives event by event while it is open', async () => {
    let next: () => void = () => undefined;
    upstream.script = (_seen, response) => {
      startStream(response);
      const events = [...CHUNKS];
      next = () => void response.write(events.shift() ?? '');
      next();
    };
    const response = await router.chat(STREAM);
    const reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    for (const event of CHUNKS) {
      const { value } = await reader.read();
      expect(Buffer.from(value ?? []).toString('utf8')).toBe(event);
      next();
    }
    await reader.cancel();
  });

  it('holds back the head until the first byte of the body', async () => {
    let answer: ServerResponse | null = null;
    upstream.script = (_seen, response) => void (answer = startStream(response));
    let arrived = false;
    const pending = router.chat(STREAM).then((response) => ((arrived = true), response));
    await until(() => answer !== null);
    await new Promise((resolve) => setImmediate(resolve));
    expect(arrived).toBe(false);
    answer!.end(CHUNKS.join('') + DONE);
    expect((await pending).status).toBe(200);
  });

  it('keeps what was sent when the replica breaks off, then ends in an error event and no [DONE]', async () => {
    upstream.script = (_seen, response) => {
      startStream(response).write(`${CHUNKS[0]}data: {"half`, () => response.destroy());
    };
    const text = await (await router.chat(STREAM)).text();
    expect(text.startsWith(CHUNKS[0] ?? '?')).toBe(true);
    const event = JSON.parse(text.slice((CHUNKS[0] ?? '').length).replace(/^data: /, '')) as object;
    expect(event).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code: 'upstream_error' },
    });
    expect(text).not.toContain('[DONE]');
    expect(router.requests.at(-1)).toMatchObject({
      outcome: 'cut',
      status: 200,
      'error.code': 'upstream_error',
    });
  });

  it.each([
    ['an event too long to hold', {}, 'x'.repeat(5 * 1024 * 1024)],
    ['compressed bytes', { 'content-encoding': 'gzip' }, 'compressed'],
  ])('that breaks off in %s is cut, as no event of ours could follow', async (_what, headers, bytes) => {
    upstream.script = (_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
      response.write(bytes, () => response.destroy());
    };
    const socket = await rawChat(router, STREAM);
    let answer = '';
    socket.setEncoding('latin1').on('data', (piece: string) => (answer += piece));
    await once(socket, 'close');
    expect(answer.length).toBeGreaterThan(Math.min(bytes.length, 4 * 1024 * 1024));
    expect(answer).not.toContain('error');
    expect(answer.endsWith('\r\n0\r\n\r\n')).toBe(false);
    expect(router.requests.at(-1)).toMatchObject({ outcome: 'cut', status: 200 });
  });

  it('stops reading from the replica while the client does not read, and loses no byte', async () => {
    const event = `data: ${'x'.repeat(64 * 1024)}\n\n`;
    const total = 64 * 1024 * 1024;
    let written = 0;
    upstream.script = (_seen, response) => {
      startStream(response);
      const pump = (): void => {
        while (written < total) {
          written += event.length;
          if (!response.write(event)) return void response.once('drain', pump);
        }
        response.end();
      };
      pump();
    };
    const socket = await rawChat(router, STREAM);
    socket.pause();
    let last = -1;
    await until(async () => {
      const stable = written === last && written > 0;
      last = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return stable;
    });
    expect(written).toBeLessThan(total / 2);
    let received = 0;
    socket.on('data', (bytes: Buffer) => (received += bytes.length));
    socket.resume();
    await until(() => router.requests.length === 1, 10_000);
    expect(router.requests[0]).toMatchObject({ outcome: 'completed', answer_bytes: written });
    await until(() => received > written);
    socket.destroy();
  });
});

describe('a client that leaves', () => {
  it.each([
    ['before the first token of a stream', STREAM, (response: ServerResponse) => void startStream(response)],
    [
      'in the middle of a stream',
      STREAM,
      (response: ServerResponse) => void startStream(response).write(CHUNKS[0]),
    ],
    ['during a call that is not streamed', { model: 'm' }, () => undefined],
  ])('%s closes the replica connection within 250 ms', async (_when, body, script) => {
    upstream.script = (_seen, response) => script(response);
    const socket = await rawChat(router, body);
    await until(() => upstream.calls.length === 1);
    if (script.toString().includes('write')) await once(socket, 'data');
    const leftAt = performance.now();
    socket.destroy();
    await upstream.calls[0]?.socketClosed;
    expect(performance.now() - leftAt).toBeLessThan(2_500);
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'client_closed', fault: 'client' });
    expect(router.plane.groups()[0]?.replicas[0]).toMatchObject({ in_flight: 0, healthy: true, failures: 0 });
  });

  it('ends its request with the tokens that were reported until then', async () => {
    upstream.script = (_seen, response) =>
      void startStream(response).write(chunk({ choices: [{ index: 0, delta: {} }], usage: USAGE }));
    const options = { include_usage: true, continuous_usage_stats: true };
    const socket = await rawChat(router, { ...STREAM, stream_options: options });
    await once(socket, 'data');
    socket.destroy();
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'client_closed', completion_tokens: 3 });
  });

  it('leaves nothing behind, a thousand times', async () => {
    upstream.script = (_seen, response) => void startStream(response).write(CHUNKS[0]);
    const round = async (count: number): Promise<void> => {
      const sockets = await Promise.all(Array.from({ length: count }, () => rawChat(router, STREAM)));
      await Promise.all(sockets.map((socket) => once(socket, 'data')));
      for (const socket of sockets) socket.destroy();
    };
    await round(50);
    await until(() => router.plane.inFlight === 0 && upstream.sockets.size === 0);
    const before = resources();
    for (let done = 0; done < 1_000; done += 100) await round(100);
    await until(() => router.plane.inFlight === 0 && upstream.sockets.size === 0);
    await until(() => resources().sockets <= before.sockets && resources().timers <= before.timers + 2);
    expect(router.requests.filter((line) => line['outcome'] === 'client_closed')).toHaveLength(1_050);
    expect(await router.metrics.text()).toMatch(/penstock_router_requests_in_flight\{[^}]*\} 0\n/);
    expect(await router.metrics.text()).toMatch(/penstock_router_buffered_bytes\{[^}]*\} 0\n/);
  }, 30_000);
});

function resources(): { readonly sockets: number; readonly timers: number } {
  const kinds = process.getActiveResourcesInfo();
  return {
    sockets: kinds.filter((kind) => kind === 'TCPSocketWrap').length,
    timers: kinds.filter((kind) => kind === 'Timeout').length,
  };
}
