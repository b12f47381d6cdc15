import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AttemptFailure } from '@penstock/routing';
import { ScriptedUpstream } from '../../../testing/scripted-upstream.js';
import type { ReplicaAddress, ReplicaCall, ReplicaRequest, ReplicaSink } from '../replica-client.port.js';
import { UndiciReplicaClient } from './undici-replica.client.js';

let upstream: ScriptedUpstream;
let client: UndiciReplicaClient;
let address: ReplicaAddress;

beforeEach(async () => {
  upstream = await new ScriptedUpstream().listen();
  client = new UndiciReplicaClient({ connectTimeoutMs: 1_000, networks: ['127.0.0.0/8'] });
  address = { key: `127.0.0.1:${upstream.port}`, host: '127.0.0.1', port: upstream.port };
});

afterEach(async () => {
  await client.destroy();
  await upstream.close();
});

const POST: ReplicaRequest = { method: 'POST', path: '/x', headers: ['a', 'b'], body: Buffer.from('hello') };

interface Answer {
  status: number;
  headers: readonly string[];
  body: string;
  failure: AttemptFailure | null;
}

function call(
  request: ReplicaRequest,
  started: (call: ReplicaCall) => void = () => undefined,
): Promise<Answer> {
  return new Promise((resolve) => {
    const answer: Answer = { status: 0, headers: [], body: '', failure: null };
    const sink: ReplicaSink = {
      head: (status, headers) => void Object.assign(answer, { status, headers }),
      data: (bytes) => ((answer.body += bytes.toString()), true),
      end: () => resolve(answer),
      fail: (failure) => resolve({ ...answer, failure }),
    };
    started(client.send(address, request, sink));
  });
}

describe('the undici replica client', () => {
  it('sends the bytes held with a length of its own', async () => {
    await call(POST);
    expect(upstream.seen[0]).toMatchObject({ body: 'hello', headers: { a: 'b', 'content-length': '5' } });
  });

  it('sends what a source yields, piece by piece', async () => {
    const pieces = ['one ', 'two ', 'three'].map((text) => Buffer.from(text));
    const pull = (): Promise<Buffer | null> => Promise.resolve(pieces.shift() ?? null);
    await call({ ...POST, body: { length: null, pull } });
    expect(upstream.seen[0]?.body).toBe('one two three');
    expect(upstream.seen[0]?.headers).toHaveProperty('transfer-encoding', 'chunked');
    const sized = [Buffer.from('abc')];
    await call({ ...POST, body: { length: 3, pull: () => Promise.resolve(sized.shift() ?? null) } });
    expect(upstream.seen[1]).toMatchObject({ body: 'abc', headers: { 'content-length': '3' } });
  });

  it('skips informational heads', async () => {
    upstream.script = (_seen, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('x');
    };
    expect(await call(POST)).toMatchObject({ status: 200, body: 'x' });
  });

  it('keeps casing and repetitions of headers', async () => {
    upstream.script = (_seen, response) =>
      void response.writeHead(200, ['X-One', '1', 'Set-Cookie', 'a', 'Set-Cookie', 'b']).end();
    expect((await call(POST)).headers).toEqual(
      expect.arrayContaining(['X-One', '1', 'Set-Cookie', 'a', 'Set-Cookie', 'b']),
    );
  });

  it('does not reuse a connection whose request was answered before it was sent', async () => {
    upstream.script = (_seen, response) => void response.end('x');
    for (let round = 0; round < 3; round += 1) {
      expect(await call({ ...POST, body: Buffer.alloc(2_000_000, 'y') })).toMatchObject({
        status: 200,
        body: 'x',
      });
    }
  });

  it('drops connections to replicas that are gone, and finishes what runs there', async () => {
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

  it('says nothing more after an abort, also while it still connects', async () => {
    let heard = 0;
    const note = (): boolean => ((heard += 1), true);
    const sink: ReplicaSink = { head: note, data: note, end: note, fail: note };
    client.send(address, POST, sink).abort();
    await call(POST);
    expect(heard).toBe(0);
  });
});
