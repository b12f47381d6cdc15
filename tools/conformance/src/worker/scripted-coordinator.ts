import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { isObject, type Json, type JsonObject, parseJson, textAt } from '../checking/json.js';
import { readBody } from '../checking/read-body.js';

/** One call the worker made. */
export interface CoordinatorCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Json;
}

/** What is answered to a ROUTER worker that asks for its configuration. */
export interface RouterConfiguration {
  revision: number;
  readonly models: Map<string, JsonObject>;
  readonly keys: Map<string, JsonObject>;
}

/** The coordinator as the worker under test sees it. It keeps what it was asked and the state it hands out. */
export class ScriptedCoordinator {
  readonly workerId = randomUUID();
  readonly calls: CoordinatorCall[] = [];
  readonly circuits = new Map<string, JsonObject>();
  readonly configuration: RouterConfiguration = { revision: 1, models: new Map(), keys: new Map() };
  /** Called with every registration, before it is answered. */
  onRegistered: () => void = () => undefined;
  /** Called before the first circuit pull is answered; what it leaves in `circuits` is not in that answer. */
  beforeFirstPull: () => Promise<void> = () => Promise.resolve();
  private readonly server: Server;
  private readonly listeners = new Set<() => void>();
  private pulls = 0;

  constructor() {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  /** @param listen - `host:port` */
  async start(listen: string): Promise<void> {
    const separator = listen.lastIndexOf(':');
    const [host, port] = [listen.slice(0, separator), Number(listen.slice(separator + 1))];
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, resolve);
    });
  }

  get url(): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `http://${address}:${port}`;
  }

  /** What the worker registered last. */
  get registration(): Json | undefined {
    return this.callsOf('PUT')[0]?.body;
  }

  callsOf(method: string, ending = ''): readonly CoordinatorCall[] {
    return this.calls.filter((call) => call.method === method && call.path.endsWith(ending));
  }

  /** Waits until a condition on the calls holds. @returns false when the time is over first. */
  async until(condition: () => boolean, ms: number): Promise<boolean> {
    const deadline = Date.now() + ms;
    while (!condition() && Date.now() < deadline) await this.nextCall(deadline - Date.now());
    return condition();
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async nextCall(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = (): void => resolve(undefined);
    const timer = setTimeout(wake, ms);
    this.listeners.add(wake);
    await promise;
    this.listeners.delete(wake);
    clearTimeout(timer);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await record(request);
    this.calls.push(call);
    const { status, body } = await this.answerTo(call);
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
    response.end(status === 304 ? undefined : JSON.stringify(body));
    for (const wake of this.listeners) wake();
  }

  private async answerTo(call: CoordinatorCall): Promise<{ status: number; body: Json }> {
    const own = `/api/worker/${this.workerId}`;
    if (call.path === '/api/worker' && call.method === 'PUT') return this.register(call.body);
    if (call.path === `${own}/circuits`) return ok({ circuits: await this.pulled() });
    if (call.path === `${own}/router-config` && this.isRouter) return this.routerConfig(call.query);
    if (call.path === own)
      return ok(call.method === 'DELETE' ? { success: true } : this.worker(this.registration));
    return { status: 404, body: { title: 'Unknown URL path.', error_code: 'agent_request_not-found' } };
  }

  private register(body: Json): { status: number; body: Json } {
    this.onRegistered();
    return ok(this.worker(body));
  }

  private async pulled(): Promise<JsonObject[]> {
    const answer = [...this.circuits.values()];
    this.pulls += 1;
    if (this.pulls === 1) await this.beforeFirstPull();
    return answer;
  }

  private get isRouter(): boolean {
    return textAt(this.registration, 'frontend_mode') === 'router';
  }

  private routerConfig(query: URLSearchParams): { status: number; body: Json } {
    const { revision, models, keys } = this.configuration;
    if (query.get('known_revision') === String(revision)) return { status: 304, body: null };
    return ok({ revision: String(revision), models: [...models.values()], api_keys: [...keys.values()] });
  }

  private worker(registration: Json | undefined): JsonObject {
    const at = new Date().toISOString();
    const sent = isObject(registration) ? registration : {};
    const absent = { port_range: null, wildcard_domain: null, wildcard_traffic_port: null };
    const counted = { available_slots: -1, occupied_slots: 0, nodes: 1, slots: [] };
    return { ...absent, ...sent, ...counted, id: this.workerId, created_at: at, updated_at: at };
  }
}

function ok(body: Json): { status: number; body: Json } {
  return { status: 200, body };
}

async function record(request: IncomingMessage): Promise<CoordinatorCall> {
  const text = (await readBody(request)).toString('utf8');
  const url = new URL(request.url ?? '/', 'http://coordinator');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: parseJson(text) ?? text,
  };
}
