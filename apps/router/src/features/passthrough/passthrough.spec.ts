import { once } from 'node:events';
import {
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { circuitOn, circuitRouter, HOST } from '../../testing/circuit-router.js';
import { HttpUpstream } from '../../testing/http-upstream.js';
import { RawClient, rawExchange } from '../../testing/raw-client.js';
import { TestRouter, until } from '../../testing/test-router.js';

let upstream: HttpUpstream;
let router: TestRouter;

/** Answers with the request as it was seen. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { method, url, rawHeaders, trailers } = request;
    const body = Buffer.concat(pieces).toString('latin1');
    response.end(JSON.stringify({ method, url, rawHeaders, trailers, body }));
  });
}

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly trailers: object;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

async function send(options: RequestOptions, body?: string | Buffer): Promise<Answer> {
  const { headers, ...rest } = options;
  const request = httpRequest({
    port: router.port,
    host: '127.0.0.1',
    headers: { host: HOST, ...headers },
    ...rest,
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of response.setEncoding('latin1')) text += piece as string;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    rawHeaders: response.rawHeaders,
    text,
  };
}

async function seen(options: RequestOptions, body?: string | Buffer): Promise<Seen> {
  return JSON.parse((await send(options, body)).text) as Seen;
}

function valuesOf({ rawHeaders }: Pick<Seen, 'rawHeaders'>, name: string): string[] {
  return rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

/** The same request, byte by byte, on a connection that closes after the answer. */
async function seenRaw(head: string, body = ''): Promise<Seen> {
  const answer = await rawExchange(router.port, `${head}host: ${HOST}\r\nconnection: close\r\n\r\n${body}`);
  const text = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Seen;
}

beforeEach(async () => {
  upstream = await new HttpUpstream().listen();
  upstream.onRequest = echo;
  router = await circuitRouter().start(circuitOn([upstream.port]));
});

afterEach(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

describe('any request to a circuit', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    '%s reaches the replica',
    async (method) => {
      expect(await seen({ method, path: '/tree/a?x=1' })).toMatchObject({
        method,
        url: '/tree/a?x=1',
        body: '',
      });
      await until(() => router.requests.length === 1);
      expect(router.requests[0]).toMatchObject({
        outcome: 'completed',
        status: 200,
        route: 'passthrough',
        attempts: 1,
      });
    },
  );

  it.each([
    '/a%2Fb/c?d=%20e+f&g=%E2%82%AC',
    '/a//b/../c/./d',
    '/%7Euser?x=[1]&y|z={}',
    '/sp%20ace;p=1?',
    '/v1/models/../audio?a=1&a=2&b=',
    '/100%',
  ])('keeps its target: %s', async (path) => {
    expect((await seenRaw(`GET ${path} HTTP/1.1\r\n`)).url).toBe(path);
  });

  it('may name its target in full, as it would to a proxy', async () => {
    expect((await seenRaw(`GET http://${HOST}/a?b HTTP/1.1\r\n`)).url).toBe('/a?b');
  });

  it.each(['/a\x80b', '/a#b', '*'])('is refused with a target that is no path: %j', async (target) => {
    const answer = await rawExchange(
      router.port,
      `OPTIONS ${target} HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4/);
    expect(upstream.requests).toHaveLength(0);
  });

  it('keeps its headers, host and credentials included, and their repetitions', async () => {
    const request = await seenRaw(
      'GET / HTTP/1.1\r\nAuthorization: Bearer t\r\nCookie: a=1\r\nX-Twice: 1\r\nX-Twice: 2\r\nOrigin: https://o\r\n',
    );
    expect(valuesOf(request, 'host')).toEqual([HOST]);
    expect(valuesOf(request, 'authorization')).toEqual(['Bearer t']);
    expect(valuesOf(request, 'cookie')).toEqual(['a=1']);
    expect(valuesOf(request, 'x-twice')).toEqual(['1', '2']);
    expect(valuesOf(request, 'origin')).toEqual(['https://o']);
    expect(request.rawHeaders).toContain('X-Twice');
  });

  it('is not made to accept what its client did not ask for', async () => {
    const request = await seenRaw('GET / HTTP/1.1\r\n');
    const names = request.rawHeaders.filter((_name, at) => at % 2 === 0).map((name) => name.toLowerCase());
    expect(names.sort()).toEqual(
      ['connection', 'forwarded', 'host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port']
        .concat(['x-forwarded-proto', 'x-request-id'])
        .sort(),
    );
  });

  it('loses what belongs to the connection, and what `Connection` names', async () => {
    const answer = await rawExchange(
      router.port,
      `GET / HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close, x-foo, authorization\r\nx-foo: 1\r\nte: trailers\r\n` +
        'keep-alive: timeout=5\r\nproxy-authorization: Basic x\r\nupgrade: h2c\r\nauthorization: Bearer t\r\n\r\n',
    );
    expect(answer).not.toMatch(/x-foo|"te"|keep-alive: timeout|proxy-authorization|h2c/i);
    expect(answer).toContain('Bearer t');
  });

  it('says who sent it, whatever it says itself', async () => {
    const request = await seenRaw(
      'GET / HTTP/1.1\r\nX-Forwarded-For: 9.9.9.9\r\nX-Forwarded-Proto: https\r\nForwarded: for=1.2.3.4\r\n' +
        'X-Real-IP: 9.9.9.9\r\nX-Forwarded-Prefix: /x\r\n',
    );
    expect(valuesOf(request, 'x-forwarded-for')).toEqual(['127.0.0.1']);
    expect(valuesOf(request, 'x-forwarded-proto')).toEqual(['http']);
    expect(valuesOf(request, 'x-forwarded-host')).toEqual([HOST]);
    expect(valuesOf(request, 'x-forwarded-port')).toEqual(['80']);
    expect(valuesOf(request, 'forwarded')).toEqual([`for=127.0.0.1;host=${HOST};proto=http`]);
    expect(valuesOf(request, 'x-real-ip')).toEqual([]);
    expect(valuesOf(request, 'x-forwarded-prefix')).toEqual([]);
  });

  it('passes on what a trusted proxy says, with its own hop behind it', async () => {
    await router.stop();
    router = await circuitRouter({ trustedProxies: ['127.0.0.0/8'] }).start(circuitOn([upstream.port]));
    const request = await seenRaw(
      'GET / HTTP/1.1\r\nX-Forwarded-For: 9.9.9.9\r\nX-Forwarded-For: 8.8.8.8\r\nX-Forwarded-Proto: https\r\n' +
        'Forwarded: for=9.9.9.9\r\nX-Forwarded-Prefix: /x\r\n',
    );
    expect(valuesOf(request, 'x-forwarded-for')).toEqual(['9.9.9.9, 8.8.8.8, 127.0.0.1']);
    expect(valuesOf(request, 'x-forwarded-proto')).toEqual(['https']);
    expect(valuesOf(request, 'x-forwarded-port')).toEqual(['443']);
    expect(valuesOf(request, 'forwarded')).toEqual([`for=9.9.9.9, for=127.0.0.1;host=${HOST};proto=http`]);
    expect(valuesOf(request, 'x-forwarded-prefix')).toEqual(['/x']);
  });
});

describe('a body', () => {
  it('keeps its announced length', async () => {
    const request = await seen({ method: 'PUT', path: '/f', headers: { 'content-length': 5 } }, 'hello');
    expect(request.body).toBe('hello');
    expect(valuesOf(request, 'content-length')).toEqual(['5']);
    expect(valuesOf(request, 'transfer-encoding')).toEqual([]);
  });

  it('of unknown length stays chunked, and loses its trailers', async () => {
    const body = '5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nx-late: 1\r\n\r\n';
    const request = await seenRaw(
      'POST /f HTTP/1.1\r\ntransfer-encoding: chunked\r\ntrailer: x-late\r\n',
      body,
    );
    expect(request.body).toBe('hello world');
    expect(request.trailers).toEqual({});
    expect(valuesOf(request, 'transfer-encoding')).toEqual(['chunked']);
    expect(valuesOf(request, 'content-length')).toEqual([]);
    expect(valuesOf(request, 'trailer')).toEqual([]);
  });

  it('may come with a GET', async () => {
    expect(await seen({ method: 'GET', path: '/s', headers: { 'content-length': 2 } }, '{}')).toMatchObject({
      method: 'GET',
      body: '{}',
    });
  });

  it('in another coding for the transfer is refused', async () => {
    const head = `POST / HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\ntransfer-encoding: gzip, chunked\r\n\r\n`;
    expect(await rawExchange(router.port, `${head}1\r\nx\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400/);
    expect(upstream.requests).toHaveLength(0);
  });

  it('that waits for leave gets it once a replica is there to take it', async () => {
    const client = (await RawClient.open(router.port)).read();
    client.send(
      `POST /f HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\ncontent-length: 5\r\nexpect: 100-continue\r\n\r\n`,
    );
    await until(() => client.answer.startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    await until(() => upstream.requests.length === 1);
    client.send('hello');
    await client.closed;
    expect(client.answer).toContain('"body":"hello"');
    expect(client.answer).not.toContain('expect');
  });

  it('that waits for leave is not asked for when no replica is there', async () => {
    await upstream.close();
    const answer = await rawExchange(
      router.port,
      `POST /f HTTP/1.1\r\nhost: ${HOST}\r\ncontent-length: 5\r\nexpect: 100-continue\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 502/);
    upstream = await new HttpUpstream().listen();
  });

  it('reaches the replica while it is still being sent', async () => {
    const client = (await RawClient.open(router.port)).read();
    let got = '';
    upstream.onRequest = (request, response) => {
      request.on('data', (piece: Buffer) => (got += piece.toString()));
      request.on('end', () => response.end('done'));
    };
    client.send(
      `POST /f HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    for (const piece of ['one', 'two', 'three']) {
      client.send(`${piece.length}\r\n${piece}\r\n`);
      await until(() => got.endsWith(piece));
    }
    client.send('0\r\n\r\n');
    await client.closed;
    expect(got).toBe('onetwothree');
  });
});

describe('an answer', () => {
  it('keeps its status, its headers and their repetitions', async () => {
    upstream.onRequest = (_request, response) =>
      void response
        .writeHead(418, [
          'Set-Cookie',
          'a=1',
          'Set-Cookie',
          'b=2',
          'X-Any',
          'y',
          'Server',
          'mine',
          'Content-Length',
          '3',
        ])
        .end('tea');
    const answer = await send({ path: '/' });
    expect(answer).toMatchObject({ status: 418, text: 'tea' });
    expect(answer.headers).toMatchObject({
      'set-cookie': ['a=1', 'b=2'],
      'x-any': 'y',
      server: 'mine',
      'content-length': '3',
    });
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
  });

  it('is not decompressed', async () => {
    upstream.onRequest = (_request, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.from([0x1f, 0x8b, 0, 255]));
    const answer = await send({ path: '/' });
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(answer.text).toBe('\x1f\x8b\0\xff');
  });

  it('may be a redirect, which is the client’s to follow', async () => {
    upstream.onRequest = (_request, response) => void response.writeHead(302, { location: '/b' }).end();
    expect(await send({ path: '/' })).toMatchObject({ status: 302, headers: { location: '/b' } });
  });

  it.each([204, 304])('of status %d has no body', async (status) => {
    upstream.onRequest = (_request, response) => void response.writeHead(status, { etag: '"x"' }).end();
    const answer = await send({ path: '/' });
    expect(answer).toMatchObject({ status, text: '', headers: { etag: '"x"' } });
    expect(answer.headers['transfer-encoding']).toBeUndefined();
  });

  it('to HEAD says what a GET would get', async () => {
    upstream.onRequest = (_request, response) =>
      void response.writeHead(200, { 'content-length': '1234' }).end();
    expect(await send({ method: 'HEAD', path: '/' })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '1234' },
    });
  });

  it('shows its head before its body, and each piece at once', async () => {
    let response: ServerResponse | undefined;
    upstream.onRequest = (_request, given) => {
      response = given;
      given.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    };
    const client = (await RawClient.open(router.port)).read();
    client.send(`GET /events HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`);
    await until(() => client.answer.endsWith('\r\n\r\n'));
    for (const event of ['data: 1\n\n', ': ping\n\n', 'data: half']) {
      response?.write(event);
      await until(() => client.answer.includes(event));
    }
    response?.end();
    await until(() => client.answer.endsWith('0\r\n\r\n'));
    client.socket.destroy();
  });

  it('of unknown length ends a connection of HTTP/1.0', async () => {
    upstream.onRequest = (_request, response) => void response.write('part', () => response.end('s'));
    const answer = await rawExchange(router.port, `GET / HTTP/1.0\r\nhost: ${HOST}\r\n\r\n`);
    expect(answer).toMatch(/\r\n\r\nparts$/);
    expect(answer).not.toMatch(/transfer-encoding/i);
  });

  it('that comes before the body is relayed, and the connection serves on', async () => {
    upstream.onRequest = (_request, response) =>
      void response.writeHead(413, { 'content-length': '3' }).end('big');
    const client = (await RawClient.open(router.port)).read();
    client.send(`POST / HTTP/1.1\r\nhost: ${HOST}\r\ncontent-length: 10\r\n\r\nhalf.`);
    await until(() => client.answer.endsWith('big'));
    client.send(`half.GET / HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`);
    await client.closed;
    expect(client.answer.match(/HTTP\/1\.1 413/g)).toHaveLength(2);
  });

  it('that comes before the body is not lost with the connection, which ends behind the body', async () => {
    upstream.onRequest = (_request, response) =>
      void response.writeHead(413, { connection: 'close' }).end('too large');
    const head = `POST / HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\ncontent-length: 9\r\n\r\n`;
    const client = (await RawClient.open(router.port)).read().send(`${head}half`);
    await until(() => client.answer.includes('too large'));
    client.send('.half');
    await client.closed;
    expect(client.answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(client.socket.bytesWritten).toBe(head.length + 9);
  });

  it('is readable for the pages the operator allows, whatever its replica says', async () => {
    upstream.onRequest = (_request, response) =>
      void response.writeHead(200, { 'access-control-allow-origin': 'https://own' }).end();
    const got = await send({ path: '/', headers: { origin: 'https://page' } });
    expect(valuesOf(got, 'access-control-allow-origin')).toEqual(['*']);
  });
});
