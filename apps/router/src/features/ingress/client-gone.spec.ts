import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { KEY } from '../../testing/snapshots.js';
import { modelOn, TestRouter, until } from '../../testing/test-router.js';

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

const HEAD =
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n` +
  `content-type: application/json\r\n`;

async function metric(name: string): Promise<string | undefined> {
  const line = (await router.metrics.text()).split('\n').find((text) => text.startsWith(`${name}{`));
  return line?.split(' ').at(-1);
}

describe('a client that leaves while it sends its body', () => {
  it('ends its request once, and gives back what was held for it', async () => {
    const socket = connect(router.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${HEAD}content-length: 100000\r\n\r\n{"model":`);
    await until(async () => (await metric('penstock_router_buffered_bytes')) === '100000');
    socket.destroy();
    await until(() => router.requests.length === 1);
    expect(router.requests[0]).toMatchObject({ outcome: 'client_closed', phase: 'body', status: null });
    expect(await metric('penstock_router_buffered_bytes')).toBe('0');
    expect(await metric('penstock_router_requests_in_flight')).toBe('0');
    expect(upstream.seen).toHaveLength(0);
  });
});

describe('a client that leaves while it pipelines', () => {
  it('has only the request that was being answered ended as its own', async () => {
    upstream.script = () => undefined;
    const body = '{"model":"m"}';
    const request = `${HEAD}content-length: ${body.length}\r\n\r\n${body}`;
    const socket = connect(router.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(request.repeat(5));
    await until(() => upstream.calls.length === 1);
    socket.destroy();
    await upstream.calls[0]?.socketClosed;
    await until(() => router.requests.length === 1 && router.plane.inFlight === 0);
    expect(upstream.calls).toHaveLength(1);
    expect(await metric('penstock_router_requests_in_flight')).toBe('0');
  });

  it('is cut off when it sends more ahead than anybody needs', async () => {
    upstream.script = () => undefined;
    const socket = connect(router.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n\r\n`.repeat(500));
    socket.resume();
    await once(socket, 'close');
    await until(() => router.plane.inFlight === 0);
  });
});
