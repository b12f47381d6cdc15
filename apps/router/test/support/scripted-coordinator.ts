import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { Circuit, ModelApiKey, Publication } from '@penstock/protocol';

/** One call the coordinator got. */
interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

/** Overrides the answer of one call; `undefined` lets the usual one through. */
type Script = (call: RecordedCall) => number | Promise<void> | undefined;

/** A coordinator that answers what the test says and remembers what it was asked. */
export class ScriptedCoordinator {
  readonly calls: RecordedCall[] = [];
  readonly publications = new Map<string, Publication>();
  readonly keys = new Map<string, ModelApiKey>();
  readonly circuits = new Map<string, Circuit>();
  workerId: string = randomUUID();
  revision = 1;
  /** False: answers the whole configuration to whoever already has it. */
  conditional = true;
  /** Answered to a registration in place of the usual answer. */
  registered: unknown = null;
  /** Another spelling of the configuration, answered in place of the usual one. */
  spelled: unknown = null;
  /** Consulted before every answer, after the answer's content was read: a held call is then a stale one. */
  script: Script = () => undefined;
  private server: Server | null = null;
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens; again on the same port after a {@link stop}. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.answer(request, response));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (!server) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  callsOf(method: string, suffix = ''): readonly RecordedCall[] {
    return this.calls.filter((call) => call.method === method && call.path.endsWith(suffix));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await record(request);
    this.calls.push(call);
    const usual = this.usualAnswer(call);
    const scripted = this.script(call);
    if (scripted instanceof Promise) await scripted;
    const { status, body } = typeof scripted === 'number' ? { status: scripted, body: '{}' } : usual;
    response.writeHead(status, { 'content-type': 'application/json', etag: `"${this.revision}"` });
    response.end(status === 304 ? undefined : body);
  }

  private usualAnswer(call: RecordedCall): { readonly status: number; readonly body: string } {
    const json = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });
    if (call.path === '/api/worker') return json(this.registered ?? this.worker(call.body));
    if (!call.path.startsWith(`/api/worker/${this.workerId}`)) return { status: 404, body: '{}' };
    if (call.path.endsWith('/circuits')) return json({ circuits: [...this.circuits.values()] });
    if (call.path.endsWith('/router-config')) return this.routerConfig(call);
    return json(call.method === 'DELETE' ? { success: true } : this.worker(call.body));
  }

  private routerConfig(call: RecordedCall) {
    const isKnown = call.query.get('known_revision') === String(this.revision);
    if (this.conditional && isKnown) return { status: 304, body: '' };
    if (this.spelled !== null) return { status: 200, body: JSON.stringify(this.spelled) };
    const body = {
      revision: String(this.revision),
      models: [...this.publications.values()],
      api_keys: [...this.keys.values()],
    };
    return { status: 200, body: JSON.stringify(body) };
  }

  private worker(request: Record<string, unknown>) {
    const at = '2026-01-01T00:00:00Z';
    return {
      authority: 'any',
      frontend_mode: 'router',
      protocol: 'http',
      hostname: 'any',
      tls_listen: false,
      tls_advertised: false,
      api_port: 1,
      filtered_apps_only: false,
      accepted_traffics: ['inference'],
      ...request,
      id: this.workerId,
      created_at: at,
      updated_at: at,
      available_slots: -1,
      occupied_slots: 0,
      nodes: 1,
      slots: [],
    };
  }
}

async function record(request: IncomingMessage): Promise<RecordedCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://coordinator');
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}
