import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RawUpstream } from '../../../testing/raw-upstream.js';
import { ScriptedUpstream } from '../../../testing/scripted-upstream.js';
import type {
  ReplicaAddress,
  ReplicaCall,
  ReplicaClient,
  ReplicaRequest,
  ReplicaSink,
} from '../replica-client.port.js';
import { callReplica, type ReceivedAnswer } from '../testing/call-replica.js';
import { TimerWheel } from '../timer-wheel.js';
import { Http1ReplicaClient } from './http1/http1-replica.client.js';
import { UndiciReplicaClient } from './undici-replica.client.js';

type Create = (networks?: readonly string[]) => ReplicaClient;

const CLIENTS: [string, Create][] = [
  [
    'the undici replica client',
    (networks = ['127.0.0.0/8']) => new UndiciReplicaClient({ connectTimeoutMs: 1_000, networks }),
  ],
  [
    'the http1 replica client',
    (networks = ['127.0.0.0/8']) =>
      new Http1ReplicaClient({ connectTimeoutMs: 1_000, networks, timers: new TimerWheel() }),
  ],
];

const POST: ReplicaRequest = { method: 'POST', path: '/x', headers: ['a', 'b'], body: Buffer.from('hello') };
const GET: ReplicaRequest = { method: 'GET', path: '/x', headers: [], body: null };

/** What every adapter of the port guarantees, whatever it is made of. */
describe.each(CLIENTS)('%s', (_name, create) => {
  let upstream: ScriptedUpstream;
  let raw: RawUpstream;
  let client: ReplicaClient;
  let address: ReplicaAddress;

  beforeEach(async () => {
    upstream = await new ScriptedUpstream().listen();
    raw = await new RawUpstream().listen();
    client = create();
    address = at(upstream.port);
  });

  afterEach(async () => {
    await client.destroy();
    await Promise.all([upstream.close(), raw.close()]);
  });

  function at(port: number, host = '127.0.0.1'): ReplicaAddress {
    return { key: `${host}:${port}`, host, port };
  }

  function call(request: ReplicaRequest, started?: (call: ReplicaCall) => void): Promise<ReceivedAnswer> {
    return callReplica(client, address, request, started);
  }

  /** The answer to these bytes. */
  function answerTo(bytes: string): Promise<ReceivedAnswer> {
    raw.script = (socket) => void socket.end(bytes, 'latin1');
    return callReplica(client, at(raw.port), GET);
  }

  describe('sends', () => {
    it('the bytes held with a length of its own', async () => {
      await call(POST);
      expect(upstream.seen[0]).toMatchObject({ body: 'hello', headers: { a: 'b', 'content-length': '5' } });
      await call({ ...POST, body: null });
      expect(upstream.seen[1]).toMatchObject({ body: '', headers: { 'content-length': '0' } });
    });

    it('a head with the host of the replica, and headers as they are, casing and repetitions included', async () => {
      const headers = ['X-One', 'caf\xe9 \t x', 'x-two', '', 'X-One', '2'];
      await call({ ...POST, headers });
      const seen = upstream.seen[0]?.rawHeaders ?? [];
      expect(seen).toEqual(expect.arrayContaining(headers));
      expect(upstream.seen[0]?.headers.host).toBe(`127.0.0.1:${upstream.port}`);
      expect(upstream.seen[0]?.headers.connection).toBe('keep-alive');
    });

    it('any method, and the host it is told', async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        await call({ ...GET, method, host: 'app.models.test:80' });
        expect(upstream.seen.at(-1)).toMatchObject({ method, headers: { host: 'app.models.test:80' } });
        expect(upstream.seen.at(-1)?.rawHeaders.filter((name) => /^host$/i.test(name))).toHaveLength(1);
      }
    });

    it('bodies of any size byte by byte', async () => {
      for (const size of [0, 1, 8_191, 8_192, 8_193, 70_000, 3_000_000]) {
        const body = Buffer.alloc(size, 'aé수🚰');
        await call({ ...POST, body });
        expect(upstream.seen.at(-1)?.body).toBe(body.toString());
      }
    });

    it('what a source yields, piece by piece', async () => {
      const pieces = ['one ', 'two ', 'three'].map((text) => Buffer.from(text));
      const pull = (): Promise<Buffer | null> => Promise.resolve(pieces.shift() ?? null);
      await call({ ...POST, body: { length: null, pull } });
      expect(upstream.seen[0]?.body).toBe('one two three');
      expect(upstream.seen[0]?.headers).toHaveProperty('transfer-encoding', 'chunked');
      const sized = [Buffer.from('abc')];
      await call({ ...POST, body: { length: 3, pull: () => Promise.resolve(sized.shift() ?? null) } });
      expect(upstream.seen[1]).toMatchObject({ body: 'abc', headers: { 'content-length': '3' } });
    });

    it('a large source no faster than the replica takes it, and all of it', async () => {
      const piece = Buffer.alloc(500_000, 'z');
      let left = 12;
      const pull = () => Promise.resolve(left-- > 0 ? piece : null);
      await call({ ...POST, body: { length: null, pull } });
      expect(upstream.seen[0]?.body.length).toBe(6_000_000);
    });

    it('fails a call whose source fails or yields another length than announced', async () => {
      const broken = { length: null, pull: () => Promise.reject(new Error('gone')) };
      expect(await call({ ...POST, body: broken })).toMatchObject({ failure: 'reset' });
      for (const text of ['abcd', 'ab']) {
        const pieces = [Buffer.from(text)];
        const body = { length: 3, pull: () => Promise.resolve(pieces.shift() ?? null) };
        expect(await call({ ...POST, body })).toMatchObject({ failure: 'reset' });
      }
      expect(upstream.seen).toHaveLength(0);
    });

    it.each([
      ['a header value', { headers: ['a', 'b\r\nx: y'] }],
      ['a header name', { headers: ['a b', 'c'] }],
      ['a path', { path: '/x HTTP/1.1\r\nx: y' }],
    ])('nothing when %s would break the head', async (_what, part) => {
      expect(await call({ ...POST, ...part })).toMatchObject({ failure: 'reset' });
      expect(upstream.seen).toHaveLength(0);
    });
  });

  describe('reads', () => {
    it('headers with their casing and repetitions', async () => {
      const headers = ['X-One', '1', 'Set-Cookie', 'a', 'Set-Cookie', 'b', 'x-empty', ''];
      upstream.script = (_seen, response) => void response.writeHead(200, headers).end();
      expect((await call(POST)).headers).toEqual(expect.arrayContaining(headers));
    });

    it('header values byte by byte', async () => {
      const { headers } = await answerTo(
        'HTTP/1.1 200 OK\r\nX-A:  caf\xe9 \t\xff\r\ncontent-length: 0\r\n\r\n',
      );
      expect(headers.slice(0, 2)).toEqual(['X-A', 'caf\xe9 \t\xff']);
    });

    it('past informational heads', async () => {
      upstream.script = (_seen, response) => {
        response.writeEarlyHints({ link: '</a>; rel=preload' });
        response.end('x');
      };
      expect(await call(POST)).toMatchObject({ status: 200, body: 'x' });
    });

    it.each([
      ['a length', 'content-length: 2\r\n\r\nab', { body: 'ab', length: 2 }],
      [
        'chunks',
        'Transfer-Encoding: Chunked\r\n\r\n1\r\na\r\n1;x=y\r\nb\r\n0\r\n\r\n',
        { body: 'ab', length: null },
      ],
      ['trailers', 'transfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-T: 1\r\n\r\n', { body: 'ab' }],
      ['the end of the connection', 'x: y\r\n\r\nab', { body: 'ab', length: null }],
      ['no body', 'content-length: 0\r\n\r\n', { body: '', length: 0 }],
    ])('bodies ended by %s', async (_what, rest, expected) => {
      expect(await answerTo(`HTTP/1.1 200 OK\r\n${rest}`)).toMatchObject({
        status: 200,
        failure: null,
        ...expected,
      });
    });

    it('answers without a body as that, whatever their head says', async () => {
      for (const status of [204, 304]) {
        const answer = await answerTo(`HTTP/1.1 ${status} X\r\nconnection: close\r\n\r\n`);
        expect(answer).toMatchObject({ status, body: '', failure: null });
      }
      raw.script = (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n');
      const head = await callReplica(client, at(raw.port), { ...GET, method: 'HEAD' });
      expect(head).toMatchObject({ status: 200, length: 9, body: '', failure: null });
    });

    it('no faster than it is taken', async () => {
      const total = 64 * 1024 * 1024;
      let written = 0;
      upstream.script = (_seen, response) => {
        const piece = Buffer.alloc(64 * 1024, 'x');
        const more = (): void => {
          while (written < total) {
            written += piece.length;
            if (!response.write(piece)) return void response.once('drain', more);
          }
          response.end();
        };
        more();
      };
      let taken = 0;
      let calls = 0;
      let ended = false;
      await new Promise<void>((resolve, reject) => {
        const sink: ReplicaSink = {
          head: () => undefined,
          data: (bytes) => ((taken += bytes.length), (calls += 1), false),
          end: () => ((ended = true), resolve()),
          fail: (_failure, cause) => reject(cause),
        };
        const running = client.send(address, POST, sink);
        const waitForStall = (last: number): void => {
          if (calls !== 1 || written !== last || written === 0)
            return void setImmediate(() => waitForStall(written));
          expect(written).toBeLessThan(total);
          const go = (): void => (running.resume(), void (ended || setImmediate(go)));
          go();
        };
        waitForStall(-1);
      });
      expect(taken).toBe(total);
    });

    it('what was paused to its end, also when the replica has closed meanwhile', async () => {
      raw.script = (socket) =>
        void socket.end(
          'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n',
        );
      let body = '';
      let pieces = 0;
      let ended = false;
      await new Promise<void>((resolve, reject) => {
        const sink: ReplicaSink = {
          head: () => undefined,
          data: (bytes) => ((body += bytes.toString()), (pieces += 1), false),
          end: () => ((ended = true), resolve()),
          fail: (_failure, cause) => reject(cause),
        };
        const running = client.send(at(raw.port), GET, sink);
        const step = (seen: number, turns: number): void => {
          if (ended) return;
          if (pieces > seen + 1) reject(new Error('Bytes came while the answer was paused'));
          // Some turns of the event loop, in which bytes would have come.
          const isPaused = turns > 20 && pieces > seen;
          if (isPaused) running.resume();
          setImmediate(() => (isPaused ? step(seen + 1, 0) : step(seen, turns + 1)));
        };
        step(0, 0);
      });
      expect(body).toBe('abc');
    });
  });

  describe('calls it', () => {
    it('connect, when nobody listens', async () => {
      await upstream.close();
      expect(await call(POST)).toMatchObject({ failure: 'connect' });
      upstream = await new ScriptedUpstream().listen();
    });

    it('connect, when the name does not resolve', async () => {
      const answer = await callReplica(client, at(80, 'nowhere.invalid'), GET);
      expect(answer.failure).toBe('connect');
    });

    it('forbidden_address, for addresses outside the networks and names that lead there', async () => {
      const confined = create(['10.0.0.0/8']);
      for (const host of ['127.0.0.1', '::1', 'localhost']) {
        const answer = await callReplica(confined, at(upstream.port, host), POST);
        expect(answer).toMatchObject({ failure: 'forbidden_address', status: 0 });
      }
      await confined.destroy();
      expect(upstream.sockets.size).toBe(0);
    });

    it.each([
      ['before it answers', ''],
      ['inside its head', 'HTTP/1.1 200 OK\r\ncontent-le'],
      ['inside a body of known length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab'],
      ['between chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n'],
    ])('reset, when the replica closes %s', async (_when, bytes) => {
      expect(await answerTo(bytes)).toMatchObject({ failure: 'reset' });
    });

    it.each([
      ['bytes that are no HTTP', 'garbage\r\n\r\n'],
      ['another protocol version', 'HTTP/3.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
      [
        'a length and chunks',
        'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
      ['a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\na'],
      [
        'a chunk size that is no number',
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\na\r\n0\r\n\r\n',
      ],
      [
        'a chunk longer than its size',
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n',
      ],
      ['a head without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
    ])('malformed, for %s', async (_what, bytes) => {
      expect(await answerTo(bytes)).toMatchObject({ failure: 'malformed' });
    });
  });

  it('fails an answer that switches to another protocol', async () => {
    const { failure } = await answerTo(
      'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
    );
    expect(['reset', 'malformed']).toContain(failure);
  });

  describe('connections', () => {
    it('are used again', async () => {
      for (let round = 0; round < 5; round += 1) await call(POST);
      // Two at most: an answer may be told before its connection is free again.
      expect(upstream.sockets.size).toBeLessThan(3);
    });

    it('are not used again when the replica says so', async () => {
      upstream.script = (_seen, response) => void response.writeHead(200, { connection: 'close' }).end('x');
      for (let round = 0; round < 3; round += 1) {
        expect(await call(POST)).toMatchObject({ status: 200, body: 'x' });
      }
    });

    it('are not used again when the request was answered before it was sent', async () => {
      upstream.script = (_seen, response) => void response.end('x');
      for (let round = 0; round < 3; round += 1) {
        const answer = await call({ ...POST, body: Buffer.alloc(2_000_000, 'y') });
        expect(answer).toMatchObject({ status: 200, body: 'x' });
      }
    });

    it('that went stale under a request fail it with reset, before a byte of an answer', async () => {
      raw.script = (socket, turn) => {
        if (turn === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na');
        else socket.destroy();
      };
      expect(await callReplica(client, at(raw.port), GET)).toMatchObject({ body: 'a', failure: null });
      expect(await callReplica(client, at(raw.port), GET)).toMatchObject({ status: 0, failure: 'reset' });
    });

    it('to replicas that are gone are dropped, and what runs there finishes', async () => {
      let finish: () => void = () => undefined;
      upstream.script = (_seen, response) => {
        response.write('half');
        finish = () => void response.end(' whole');
      };
      const running = call(POST);
      while (upstream.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
      client.retain(new Set());
      finish();
      expect(await running).toMatchObject({ body: 'half whole' });
      while (upstream.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
    });

    it('are closed by destroy, and calls under way fail', async () => {
      upstream.script = () => undefined;
      const running = call(POST);
      while (upstream.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await client.destroy();
      expect(await running).toMatchObject({ failure: 'reset' });
      while (upstream.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
    });
  });

  describe('after an abort', () => {
    it('says nothing more, also while it still connects', async () => {
      let heard = 0;
      const note = (): boolean => ((heard += 1), true);
      const sink: ReplicaSink = { head: note, data: note, end: note, fail: note };
      client.send(address, POST, sink).abort();
      await call(POST);
      expect(heard).toBe(0);
    });

    it.each(['head', 'data'] as const)(
      'from within %s closes the connection and says nothing more',
      async (where) => {
        upstream.script = (_seen, response) => void response.write('x');
        const heard: string[] = [];
        const note = (what: string): boolean => {
          heard.push(what);
          if (what === where) running.abort();
          return true;
        };
        const sink: ReplicaSink = {
          head: () => void note('head'),
          data: () => note('data'),
          end: () => void note('end'),
          fail: () => void note('fail'),
        };
        const running = client.send(address, POST, sink);
        while (heard.at(-1) !== where) await new Promise((resolve) => setImmediate(resolve));
        await upstream.seen[0]?.socketClosed;
        expect(heard.at(-1)).toBe(where);
      },
    );

    it('leaves no connection, a thousand times', async () => {
      upstream.script = (seen, response) => void (seen.path === '/half' && response.write('x'));
      let failed = 0;
      const sink: ReplicaSink = {
        head: () => undefined,
        data: () => true,
        end: () => undefined,
        fail: () => void (failed += 1),
      };
      for (let batch = 0; batch < 10; batch += 1) {
        const running = Array.from({ length: 100 }, (_, index) =>
          client.send(address, { ...POST, path: index % 2 === 0 ? '/half' : '/x' }, sink),
        );
        // Some are still connecting, some have sent, some have begun to be answered.
        const seen = upstream.seen.length + batch * 10;
        while (batch > 0 && upstream.seen.length < seen)
          await new Promise((resolve) => setImmediate(resolve));
        for (const one of running) one.abort();
      }
      while (upstream.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
      expect(failed).toBe(0);
      upstream.script = (_seen, response) => void response.end('x');
      expect(await call(POST)).toMatchObject({ body: 'x' });
    });
  });
});
