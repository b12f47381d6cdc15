import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { circuitOn, circuitRouter, HOST } from '../../testing/circuit-router.js';
import { HttpUpstream } from '../../testing/http-upstream.js';
import { RawClient } from '../../testing/raw-client.js';
import { TestRouter, until } from '../../testing/test-router.js';

const MIB = 1024 * 1024;
const TOTAL = 64 * MIB;
/** What the system's socket buffers and one piece at each end may take, far below the whole. */
const AHEAD_MAX = TOTAL / 4;
const PIECE = Buffer.alloc(64 * 1024, 'x');

let upstream: HttpUpstream;
let router: TestRouter;

beforeEach(async () => {
  upstream = await new HttpUpstream().listen();
  router = await circuitRouter().start(circuitOn([upstream.port]));
});

afterEach(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

/** Writes as fast as it is taken. */
class Source {
  written = 0;

  constructor(private readonly to: Writable) {}

  async run(): Promise<void> {
    while (this.written < TOTAL) {
      this.written += PIECE.length;
      if (!this.to.write(PIECE)) await once(this.to, 'drain');
    }
  }

  /** Until nothing more has been taken for a while. */
  async stalled(): Promise<void> {
    let last = -1;
    let since = performance.now();
    await until(() => {
      if (this.written !== last) since = performance.now();
      last = this.written;
      return last > 0 && performance.now() - since > 150;
    }, 10_000);
  }
}

/** Bytes in buffers of this process. */
function buffered(): number {
  return process.memoryUsage().arrayBuffers;
}

describe('a body of any length', () => {
  it('is read only as fast as its replica takes it', async () => {
    let request: IncomingMessage | undefined;
    upstream.onRequest = (incoming, response) => {
      request = incoming;
      let bytes = 0;
      incoming
        .on('data', (piece: Buffer) => (bytes += piece.length))
        .on('end', () => response.end(String(bytes)));
      incoming.pause();
    };
    const before = buffered();
    const client = (await RawClient.open(router.port)).read();
    client.send(`POST /f HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\ncontent-length: ${TOTAL}\r\n\r\n`);
    const source = new Source(client.socket);
    const whole = source.run();
    await source.stalled();
    expect(source.written).toBeLessThan(AHEAD_MAX);
    expect(buffered() - before).toBeLessThan(8 * MIB);
    request?.resume();
    await whole;
    await client.closed;
    expect(client.answer).toMatch(new RegExp(`^HTTP/1.1 200 [^]*${TOTAL}`));
    expect(router.requests[0]).toMatchObject({ body_bytes: TOTAL });
  });
});

describe('an answer of any length', () => {
  it('is read only as fast as its client takes it', async () => {
    let source: Source | undefined;
    upstream.onRequest = (_request, response) => {
      source = new Source(response);
      void source.run().then(() => response.end());
    };
    const before = buffered();
    const client = await RawClient.open(router.port);
    client.send(`GET /f HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`);
    await until(() => source !== undefined);
    await source?.stalled();
    expect(source?.written).toBeLessThan(AHEAD_MAX);
    expect(buffered() - before).toBeLessThan(8 * MIB);
    let received = 0;
    client.socket.on('data', (piece: Buffer) => (received += piece.length));
    await client.closed;
    expect(received).toBeGreaterThan(TOTAL);
    expect(router.requests[0]).toMatchObject({ answer_bytes: TOTAL, outcome: 'completed' });
  });
});
