import {
  Agent,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { parseJson } from '../checking/json.js';
import type { Exchange, WorkerCall } from './mutation.js';

/** Header fields that this proxy sets itself. */
const OWN_FIELDS = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

export interface HttpRewriterOptions {
  /** Where to: asked anew for each request, since it may not be known at first. */
  readonly targetUrl: () => string;
  /** Called with every finished exchange; changes to it are what the client sees. */
  readonly rewrite: (exchange: Exchange) => void;
  /** Called with every request before it is sent on. */
  readonly rewriteCall?: (call: WorkerCall) => void;
  /** True holds a stream back until it is complete; other streams pass as they come. */
  readonly holds?: (path: string, headers: IncomingMessage['headers']) => boolean;
  /** What an upgraded connection suffers. */
  readonly upgrade?: (path: string, headers: IncomingMessage['headers']) => 'refused' | 'mute' | undefined;
}

/** A proxy that lets every exchange be seen and changed. It holds whole bodies, except those of event streams. */
export class HttpRewriter {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server: Server;
  private readonly sockets = new Set<Duplex>();

  private constructor(private readonly options: HttpRewriterOptions) {
    this.server = createServer((request, response) => {
      this.pass(request, response).catch(() => response.destroy());
    });
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.passUpgrade(request, socket, head),
    );
  }

  static async start(options: HttpRewriterOptions): Promise<HttpRewriter> {
    const rewriter = new HttpRewriter(options);
    await new Promise<void>((resolve) => rewriter.server.listen(0, '127.0.0.1', resolve));
    return rewriter;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    this.agent.destroy();
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { text: sent } = await readAll(request);
    const upstream = await this.forward(request, sent);
    if (this.isPassedAsItComes(request, upstream)) return passAsItComes(upstream, response);
    const exchange = toExchange(request, sent, upstream, await readAll(upstream));
    this.options.rewrite(exchange);
    writeAnswer(exchange, response);
  }

  private isPassedAsItComes({ url = '/', headers }: IncomingMessage, upstream: IncomingMessage): boolean {
    const isStream = upstream.headers['content-type'] === 'text/event-stream';
    return isStream && this.options.holds?.(pathOf(url), headers) !== true;
  }

  private forward(request: IncomingMessage, text: string): Promise<IncomingMessage> {
    const { method = 'GET', url = '/', headers } = request;
    const call = { method, path: url, headers: { ...headers }, body: parseJson(text) ?? text };
    const before = JSON.stringify(call.body);
    this.options.rewriteCall?.(call);
    const body = JSON.stringify(call.body) === before ? text : JSON.stringify(call.body);
    const framed =
      text === '' ? call.headers : { ...call.headers, 'content-length': Buffer.byteLength(body) };
    const { hostname, port } = new URL(this.options.targetUrl());
    const target = {
      hostname,
      port,
      method: call.method,
      path: call.path,
      headers: framed,
      agent: this.agent,
    };
    return new Promise((resolve, reject) => {
      const upstream = httpRequest(target, resolve);
      upstream.once('error', reject);
      upstream.end(body);
    });
  }

  private passUpgrade(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const fate = this.options.upgrade?.(pathOf(request.url ?? '/'), request.headers);
    if (fate === 'refused') return void client.end('HTTP/1.1 418 Refused\r\nContent-Length: 0\r\n\r\n');
    const { hostname, port } = new URL(this.options.targetUrl());
    const server = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
    server.write(rawHead(request));
    server.write(head);
    client.on('data', (chunk: Buffer) => server.write(chunk));
    let first = true;
    server.on('data', (chunk: Buffer) => {
      if (first || fate !== 'mute') client.write(chunk);
      first = false;
    });
  }
}

function rawHead({ method, url, rawHeaders }: IncomingMessage): string {
  const lines: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index] ?? ''}: ${rawHeaders[index + 1] ?? ''}\r\n`);
  return `${method ?? 'GET'} ${url ?? '/'} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function passAsItComes(upstream: IncomingMessage, response: ServerResponse): void {
  response.writeHead(upstream.statusCode ?? 200, passedOn(upstream.headers));
  upstream.on('error', () => response.destroy());
  upstream.pipe(response);
}

function writeAnswer(exchange: Exchange, response: ServerResponse): void {
  const body = typeof exchange.body === 'string' ? exchange.body : JSON.stringify(exchange.body);
  if (exchange.broken) return void response.destroy();
  response.writeHead(exchange.status, { ...exchange.headers, 'content-length': Buffer.byteLength(body) });
  response.end(exchange.method === 'HEAD' || exchange.status === 304 ? undefined : body);
}

interface ReadBody {
  readonly text: string;
  readonly broken: boolean;
}

async function readAll(message: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let broken = false;
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer);
  } catch {
    broken = true;
  }
  return { text: Buffer.concat(chunks).toString('utf8'), broken };
}

function toExchange(
  request: IncomingMessage,
  sent: string,
  answer: IncomingMessage,
  { text, broken }: ReadBody,
): Exchange {
  const url = new URL(request.url ?? '/', 'http://target');
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    sentHeaders: request.headers,
    sent: parseJson(sent),
    status: answer.statusCode ?? 0,
    headers: passedOn(answer.headers),
    body: parseJson(text) ?? text,
    broken,
  };
}

function passedOn(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OWN_FIELDS.has(name) ? [] : [[name, value]],
    ),
  );
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? url;
}
