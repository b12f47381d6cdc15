import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RawUpstream } from '../../../../testing/raw-upstream.js';
import { callReplica, type ReceivedAnswer } from '../../testing/call-replica.js';
import type { ReplicaAddress, ReplicaClient, ReplicaRequest } from '../../replica-client.port.js';
import { TimerWheel } from '../../timer-wheel.js';
import { UndiciReplicaClient } from '../undici-replica.client.js';
import { Http1ReplicaClient } from './http1-replica.client.js';

const GET: ReplicaRequest = { method: 'GET', path: '/x', headers: [], body: null };
const NETWORKS = { connectTimeoutMs: 2_000, networks: ['127.0.0.0/8'] };

let upstream: RawUpstream;
let own: ReplicaClient;
let reference: ReplicaClient;
let address: ReplicaAddress;

beforeAll(async () => {
  upstream = await new RawUpstream().listen();
  own = new Http1ReplicaClient({ ...NETWORKS, timers: new TimerWheel() });
  reference = new UndiciReplicaClient(NETWORKS);
  address = { key: `127.0.0.1:${upstream.port}`, host: '127.0.0.1', port: upstream.port };
});

afterAll(async () => {
  await Promise.all([own.destroy(), reference.destroy(), upstream.close()]);
});

/** Numbers in [0, 1), the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const TOKEN = "!#$%&'*+-.^_`|~09AZaz";
const VALUE = 'abc,;= "\t\x80\xe9\xff(){}';
const BYTES = 'a\r\n0;:\0\xff{"';

function text(random: () => number, alphabet: string, max: number): string {
  const length = Math.floor(random() * max);
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
}

function header(random: () => number): string {
  return `x${text(random, TOKEN, 12)}:${text(random, ' \t', 3)}v${text(random, VALUE, 20)}v\r\n`;
}

function chunked(random: () => number, body: string): string {
  let framed = '';
  for (let at = 0; at < body.length;) {
    const size = 1 + Math.floor(random() * 40);
    const piece = body.slice(at, at + size);
    const extension = random() < 0.2 ? `;n${text(random, TOKEN, 5)}=v` : '';
    framed += `${random() < 0.2 ? '0' : ''}${piece.length.toString(16)}${extension}\r\n${piece}\r\n`;
    at += size;
  }
  return `${framed}0\r\n${random() < 0.2 ? header(random) : ''}\r\n`;
}

function answer(random: () => number): string {
  const status = [200, 200, 200, 201, 204, 304, 400, 429, 503, 599][Math.floor(random() * 10)] as number;
  const body = text(random, BYTES, 300);
  const headers = Array.from({ length: Math.floor(random() * 6) }, () => header(random)).join('');
  const head = `HTTP/1.1 ${status} ${text(random, 'OKab ', 6)}\r\nconnection: close\r\n${headers}`;
  if (status === 204 || status === 304) return `${head}\r\n`;
  const kind = random();
  if (kind < 0.4) return `${head}content-length: ${body.length}\r\n\r\n${body}`;
  return kind < 0.8
    ? `${head}transfer-encoding: chunked\r\n\r\n${chunked(random, body)}`
    : `${head}\r\n${body}`;
}

/** Some bytes changed, removed or put in. */
function damage(whole: string, random: () => number): string {
  let damaged = whole;
  for (let count = 1 + Math.floor(random() * 3); count > 0; count -= 1) {
    const at = Math.floor(random() * damaged.length);
    const removed = random() < 0.6 ? 1 : 0;
    damaged = damaged.slice(0, at) + text(random, '\r\n :;0123f\x00\xffa', 3) + damaged.slice(at + removed);
  }
  return damaged;
}

/** Sends an answer in a few pieces and then closes. */
function receive(client: ReplicaClient, bytes: string, random: () => number): Promise<ReceivedAnswer> {
  upstream.script = (socket) => {
    const send = (at: number): void => {
      const end = at + 1 + Math.floor(random() * bytes.length);
      if (end >= bytes.length) return void socket.end(bytes.slice(at), 'latin1');
      socket.write(bytes.slice(at, end), 'latin1', () => setImmediate(() => send(end)));
    };
    send(0);
  };
  return callReplica(client, address, GET);
}

describe('compared to undici, the own client', () => {
  it('reads valid answers the same', async () => {
    const random = generator(20_261_129);
    for (let round = 0; round < 400; round += 1) {
      const bytes = answer(random);
      const expected = await receive(reference, bytes, random);
      expect(expected.failure).toBeNull();
      expect(await receive(own, bytes, random)).toEqual(expected);
    }
  }, 60_000);

  it('ends with damaged answers, and reads those it takes no other way', async () => {
    const random = generator(7);
    let taken = 0;
    for (let round = 0; round < 600; round += 1) {
      const bytes = damage(answer(random), random);
      const ours = await receive(own, bytes, random);
      if (ours.failure !== null) continue;
      taken += 1;
      const theirs = await receive(reference, bytes, random);
      const { status, body } = ours;
      expect({ bytes, ...theirs }).toMatchObject({ bytes, failure: null, status, body });
    }
    expect(taken).toBeGreaterThan(50);
  }, 60_000);
});
