import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Circuit } from '@penstock/protocol';
import { eventually } from '@penstock/testkit';
import { RawClient } from '../../src/testing/raw-client.js';
import { ScriptedUpstream } from '../../src/testing/scripted-upstream.js';
import { DOMAIN, RunningWorker } from '../support/running-worker.js';
import { loadVectors, numbered, vectorCircuit } from '../support/vectors.js';

const { sse } = loadVectors<{
  readonly sse: readonly { readonly chunks_ms?: readonly (readonly [number, string])[] }[];
}>('recorded-dataplane');
const CHUNKS = sse.flatMap(({ chunks_ms: chunks = [] }) => chunks.map(([, text]) => text));

/** What was recorded of the replicas of a stock worker, and what a running wildcard worker of ours does there. */
describe('replicas of a circuit', () => {
  let worker: RunningWorker;
  let first: ScriptedUpstream;
  let second: ScriptedUpstream;
  let serial = 0;

  beforeAll(async () => {
    first = await new ScriptedUpstream().listen();
    second = await new ScriptedUpstream().listen();
    worker = await RunningWorker.start('wildcard');
  });

  afterAll(async () => {
    await worker.stop();
    await first.close();
    await second.close();
  });

  beforeEach(() => {
    serial += 1;
    first.script = (_seen, response) => void response.end('{}');
  });

  const circuit = (over: Partial<Circuit> = {}) =>
    vectorCircuit(first.port, { ...numbered(serial), open_to_public: true, ...over });
  const call = () => worker.call(`c${serial}`, { path: '/x' });

  /** A circuit with one replica per port and its ratio. */
  function spread(...replicas: readonly (readonly [number, number])[]): Circuit {
    const base = circuit();
    const [route] = base.route_info;
    if (route === undefined) throw new Error('no route');
    const route_info = replicas.map(([kernel_port, traffic_ratio], index) => {
      const ids = {
        route_id: numbered(1_000 * serial + index).id,
        session_id: numbered(2_000 * serial + index).id,
      };
      return { ...route, kernel_port, traffic_ratio, ...ids };
    });
    return { ...base, route_info };
  }

  it('dead: fails at once, and serves as soon as it is back, with nobody pushing its route again', async () => {
    const later = await new ScriptedUpstream().listen();
    const { port } = later;
    await later.close();
    await worker.create(spread([port, 1]));
    for (let n = 0; n < 5; n += 1) expect([502, 503]).toContain((await call()).status);
    const back = await new ScriptedUpstream().listen(port);
    await eventually(async () => expect((await call()).status).toBe(200), { timeoutMs: 20_000 });
    await back.close();
  });

  it('one dead beside one alive: every request reaches the one alive', async () => {
    const gone = await new ScriptedUpstream().listen();
    const { port } = gone;
    await gone.close();
    await worker.create(spread([port, 1], [first.port, 1]));
    for (let n = 0; n < 24; n += 1) expect((await call()).status).toBe(200);
  });

  it('with ratios 3 and 1: get their shares', async () => {
    await worker.create(spread([first.port, 3], [second.port, 1]));
    const [one, other] = [first.seen.length, second.seen.length];
    for (let n = 0; n < 200; n += 20) await Promise.all(Array.from({ length: 20 }, call));
    const share = (first.seen.length - one) / (first.seen.length - one + second.seen.length - other);
    // Five and a half deviations around three quarters.
    expect(Math.abs(share - 0.75)).toBeLessThan(0.17);
  });

  it.each([0, -1])('with the ratio %s: are never chosen', async (ratio) => {
    await worker.create(spread([first.port, ratio]));
    expect((await call()).status).toBe(503);
  });

  it('without a host: are on this machine', async () => {
    const local = spread([first.port, 1]);
    await worker.create({
      ...local,
      route_info: local.route_info.map((route) => ({ ...route, kernel_host: null })),
    });
    expect((await call()).status).toBe(200);
  });

  it('none: answer 503 at once', async () => {
    await worker.create(spread());
    expect((await call()).status).toBe(503);
  });

  it('sse-head, chunks: each piece comes before the next one is written', async () => {
    await worker.create(circuit());
    let write = (_text: string): void => undefined;
    first.script = (_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      write = (text) => void response.write(text);
    };
    const client = (await RawClient.open(worker.port)).read();
    client.send(`GET /x HTTP/1.1\r\nhost: c${serial}${DOMAIN}\r\n\r\n`);
    await eventually(() => expect(client.answer).toContain('text/event-stream'));
    for (const chunk of CHUNKS) {
      write(chunk);
      await eventually(() => expect(client.answer).toContain(chunk));
    }
    client.socket.destroy();
  });

  it('upstream-drops-in-body: the connection of the client ends too', async () => {
    await worker.create(circuit());
    first.script = (_seen, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('partial', () => response.socket?.destroy());
    };
    const client = (await RawClient.open(worker.port)).read();
    client.send(`GET /x HTTP/1.1\r\nhost: c${serial}${DOMAIN}\r\n\r\n`);
    await client.closed;
    expect(client.answer).toContain('partial');
  });

  it('upstream-drops-before-response: is a 502', async () => {
    await worker.create(circuit());
    first.script = (_seen, response) => void response.socket?.destroy();
    expect((await call()).status).toBe(502);
  });

  it('3 MB body, chunked: pass as they are', async () => {
    await worker.create(circuit());
    let length = 0;
    first.script = ({ body }, response) => {
      length = body.length;
      response.end('{}');
    };
    const body = 'x'.repeat(3 * 1024 * 1024);
    const answer = await worker.call(`c${serial}`, {
      path: '/x',
      body,
      headers: { 'transfer-encoding': 'chunked' },
    });
    expect({ status: answer.status, length }).toEqual({ status: 200, length: body.length });
  });
});
