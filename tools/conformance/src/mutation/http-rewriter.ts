import {
  Agent,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson, type Json } from '../checking/json.js';
import type { Exchange } from './mutation.js';

/** Header fields that this proxy sets itself. */
const OWN_FIELDS = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

export interface HttpRewriterOptions {
  readonly targetUrl: string;
  /** Called with every finished exchange; changes to it are what the client sees. */
  readonly rewrite: (exchange: Exchange) => void;
}

/** A proxy that lets every exchange be seen and changed on the way back. It holds whole bodies. */
export class HttpRewriter {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server: Server;

  private constructor(private readonly options: HttpRewriterOptions) {
    this.server = createServer((request, response) => {
      this.pass(request, response).catch(() => response.destroy());
    });
  }

  static async start(options: HttpRewriterOptions): Promise<HttpRewriter> {
    const rewriter = new HttpRewriter(options);
    await new Promise<void>((resolve) => rewriter.server.listen(0, '127.0.0.1', resolve));
    return rewriter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.agent.destroy();
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await readAll(request);
    const upstream = await this.forward(request, sent);
    const exchange = toExchange(request, sent, upstream, await readAll(upstream));
    this.options.rewrite(exchange);
    const body = textOf(exchange);
    response.writeHead(exchange.status, { ...exchange.headers, 'content-length': Buffer.byteLength(body) });
    response.end(request.method === 'HEAD' || exchange.status === 304 ? undefined : body);
  }

  private forward(request: IncomingMessage, body: string): Promise<IncomingMessage> {
    const { method = 'GET', url = '/', headers } = request;
    const target = new URL(url, this.options.targetUrl);
    return new Promise((resolve, reject) => {
      const upstream = httpRequest(
        target,
        { method, headers: { ...headers, host: target.host }, agent: this.agent },
        resolve,
      );
      upstream.once('error', reject);
      upstream.end(body);
    });
  }
}

async function readAll(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function toExchange(request: IncomingMessage, sent: string, answer: IncomingMessage, text: string): Exchange {
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
    broken: false,
  };
}

function passedOn(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OWN_FIELDS.has(name) ? [] : [[name, value]],
    ),
  );
}

function textOf({ body }: { readonly body: Json }): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
