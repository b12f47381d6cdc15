import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
  bulkCreateRequestSchema,
  bulkDeleteRequestSchema,
  bulkRoutesRequestSchema,
  type CircuitPropagation,
  type EndpointItem,
  type PutKeyBody,
  putKeyBodySchema,
  type PutModelBody,
  putModelBodySchema,
  type RoutesItem,
  signHs256,
  type TokenRequest,
  tokenRequestSchema,
  WireError,
} from '@penstock/protocol';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: IncomingMessage['headers'];
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Rule = (request: SeenRequest) => Answer | 'hang' | undefined;

const WORKER_ID = '11111111-2222-4333-8444-555555555555';
const SECRET = 'scripted-api-secret';
const JWT_SECRET = 'scripted-jwt-secret';
const ENDPOINT_QUESTION = /^\/v2\/endpoints\/([0-9a-f-]{36})\/(token|lineage)$/;

/**
 * A coordinator of a few lines: it checks bodies with the wire's own schemas, keeps what it is told in memory and
 * answers in the agreed shapes. Tests look at its state and script its failures.
 */
export class ScriptedCoordinator {
  readonly models = new Map<string, PutModelBody>();
  readonly keys = new Map<string, PutKeyBody>();
  readonly endpoints = new Map<string, EndpointItem>();
  readonly routes = new Map<string, RoutesItem>();
  /** Circuits whose id is not that of their endpoint. */
  readonly circuitIds = new Map<string, string>();
  /** Every access token that was signed, oldest first. */
  readonly minted: { readonly endpointId: string; readonly token: string }[] = [];
  readonly requests: SeenRequest[] = [];
  readonly apiSecret = SECRET;
  liveNodes = ['node-1', 'node-2'];
  ackingNodes = ['node-1', 'node-2'];
  /** What became of changed circuits; null says nothing, as coordinators of another make do. */
  circuitPropagation: CircuitPropagation | null = { status: 'applied', waited_ms: 1 };
  /** Kind of the one worker. Only routers have publications and keys. */
  frontendMode: 'router' | 'wildcard' = 'router';
  revision = 0;
  #rules: Rule[] = [];
  #delay: Promise<void> | null = null;
  #server: Server | null = null;
  #port = 0;

  constructor(readonly authority: string) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#handle(request, response));
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Looks at every request before the normal behaviour does; the rule stays until `clearRules`. */
  script(rule: Rule): void {
    this.#rules.push(rule);
  }

  /** Requests are answered only after this. */
  delay(until: Promise<void> | null): void {
    this.#delay = until;
  }

  clearRules(): void {
    this.#rules = [];
  }

  requestsTo(pattern: RegExp): SeenRequest[] {
    return this.requests.filter(({ method, path }) => pattern.test(`${method} ${path}`));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const seen: SeenRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      body: text === '' ? undefined : JSON.parse(text),
      headers: request.headers,
    };
    this.requests.push(seen);
    await this.#delay;
    const answer = this.#answer(seen);
    if (answer === 'hang') return;
    response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(answer.body));
  }

  #answer(seen: SeenRequest): Answer | 'hang' {
    for (const rule of this.#rules) {
      const answer = rule(seen);
      if (answer !== undefined) return answer;
    }
    if (seen.headers['x-backendai-token'] !== SECRET) {
      return problem(401, 'Credential/signature mismatch.');
    }
    const url = new URL(seen.path, 'http://coordinator');
    const route = `${seen.method} ${url.pathname}`;
    const report = this.#report(url);
    if (route === 'POST /v2/endpoints/bulk') return this.#createEndpoints(seen.body, report);
    if (route === 'POST /v2/endpoints/bulk/routes') return this.#replaceRoutes(seen.body, report);
    if (route === 'DELETE /v2/endpoints/bulk') return this.#deleteEndpoints(seen.body, report);
    const [, endpointId, question] = ENDPOINT_QUESTION.exec(url.pathname) ?? [];
    if (endpointId !== undefined) return this.#answerFor(endpointId, `${seen.method} ${question}`, seen.body);
    if (route === 'GET /api/worker') return ok({ workers: [this.#worker()] });
    if (route === `GET /api/worker/${WORKER_ID}`) return ok(this.#worker());
    if (route === `GET /api/worker/${WORKER_ID}/circuits`) return ok({ circuits: this.#circuits() });
    return this.#router(seen, url);
  }

  #answerFor(endpointId: string, question: string, body: unknown): Answer {
    if (!this.endpoints.has(endpointId))
      return { status: 404, body: WireError.objectNotFound('endpoint').toBody() };
    if (question === 'GET lineage') return ok(this.#lineage(endpointId));
    const parsed = tokenRequestSchema.safeParse(body);
    if (question !== 'POST token' || !parsed.success) {
      return problem(400, 'Missing or invalid API parameters.');
    }
    return ok({ token: this.#mint(endpointId, parsed.data) });
  }

  #mint(endpointId: string, { user_uuid: user, exp }: TokenRequest): string {
    const claims = {
      id: this.#circuitOf(endpointId),
      user,
      exp: Date.parse(exp) / 1_000,
      jti: this.minted.length,
    };
    const token = signHs256(claims, JWT_SECRET);
    this.minted.push({ endpointId, token });
    return token;
  }

  #circuitOf(endpointId: string): string {
    return this.circuitIds.get(endpointId) ?? endpointId;
  }

  /** What the routes call says about the upstream wins over the creation. */
  upstreamOf(endpointId: string): string | null {
    const item = this.routes.get(endpointId) ?? this.endpoints.get(endpointId);
    return item?.upstream_endpoint_id ?? null;
  }

  #lineage(endpointId: string) {
    const upstream = this.upstreamOf(endpointId);
    return { deployment_id: endpointId, upstream, ancestors: [], downstreams: [], descendants: [] };
  }

  #router(seen: SeenRequest, url: URL): Answer {
    const [, , , authority = '', collection = '', item] = url.pathname.split('/').map(decodeURIComponent);
    if (authority !== this.authority || this.frontendMode !== 'router')
      return problem(404, 'E00002: No such router.');
    if (seen.method === 'GET' && collection === 'models') return ok(this.#listModels());
    if (seen.method === 'GET' && collection === 'api-keys') return ok(this.#listKeys());
    if (item === undefined) return problem(404, 'Unknown URL path.');
    if (collection === 'models') return this.#changeModel(seen, item);
    return this.#changeKey(seen, item, url.searchParams.get('strict') === 'true');
  }

  #changeModel(seen: SeenRequest, model: string): Answer {
    if (seen.method === 'DELETE') {
      const known = this.models.delete(model);
      return ok({ success: true, propagation: this.#propagation(known) });
    }
    const parsed = putModelBodySchema.safeParse(seen.body);
    if (!parsed.success) return problem(400, 'Missing or invalid API parameters.');
    const taken = this.#takenName(model, parsed.data);
    if (taken !== undefined) return { status: 409, body: WireError.modelNameConflict(taken).toBody() };
    const changed = JSON.stringify(this.models.get(model)) !== JSON.stringify(parsed.data);
    this.models.set(model, parsed.data);
    return ok({ model: { model, ...parsed.data }, propagation: this.#propagation(changed) });
  }

  #takenName(model: string, { aliases }: PutModelBody): string | undefined {
    const others = [...this.models].filter(([name]) => name !== model);
    const taken = new Set(others.flatMap(([name, other]) => [name, ...other.aliases]));
    return [model, ...aliases].find((name) => taken.has(name));
  }

  #changeKey(seen: SeenRequest, keyId: string, strict: boolean): Answer {
    if (seen.method === 'DELETE') {
      const known = this.keys.delete(keyId);
      const propagation = this.#propagation(known);
      return ok({ success: true, propagation, ...(strict && { strict: this.#strictResult() }) });
    }
    const parsed = putKeyBodySchema.safeParse(seen.body);
    if (!parsed.success) return problem(400, 'Missing or invalid API parameters.');
    const changed = JSON.stringify(this.keys.get(keyId)) !== JSON.stringify(parsed.data);
    this.keys.set(keyId, parsed.data);
    return ok({ key_id: keyId, propagation: this.#propagation(changed) });
  }

  #createEndpoints(body: unknown, report: object): Answer {
    const parsed = bulkCreateRequestSchema.safeParse(body);
    if (!parsed.success) return problem(400, 'Missing or invalid API parameters.');
    for (const item of parsed.data.endpoints) {
      if (!this.endpoints.has(item.deployment_id)) this.endpoints.set(item.deployment_id, item);
    }
    const endpoints = parsed.data.endpoints.map(({ deployment_id }) => ({
      deployment_id,
      url: this.urlOf(deployment_id),
      health_check_enabled: false,
      ...report,
    }));
    return ok({ endpoints });
  }

  #replaceRoutes(body: unknown, report: object): Answer {
    const parsed = bulkRoutesRequestSchema.safeParse(body);
    if (!parsed.success) return problem(400, 'Missing or invalid API parameters.');
    const endpoints = parsed.data.endpoints.map((item) => {
      const success = this.endpoints.has(item.deployment_id);
      if (success) this.routes.set(item.deployment_id, item);
      const error = success ? null : 'No circuit registered for this endpoint yet.';
      return { deployment_id: item.deployment_id, success, error, ...report };
    });
    return ok({ endpoints });
  }

  #deleteEndpoints(body: unknown, report: object): Answer {
    const parsed = bulkDeleteRequestSchema.safeParse(body);
    if (!parsed.success) return problem(400, 'Missing or invalid API parameters.');
    const endpoints = parsed.data.endpoints.map(({ deployment_id }) => {
      this.endpoints.delete(deployment_id);
      this.routes.delete(deployment_id);
      return { deployment_id, success: true, error: null, ...report };
    });
    return ok({ endpoints });
  }

  /** Where a client finds the endpoint as it is now. */
  urlOf(id: string): string {
    const access = this.routes.get(id) ?? this.endpoints.get(id);
    return access?.visibility === 'internal'
      ? `http://${id}.internal.example.com/`
      : 'http://router.example.com/';
  }

  #report({ searchParams }: URL): object {
    const asked = searchParams.get('propagation') === 'true' && this.circuitPropagation !== null;
    return asked ? { propagation: this.circuitPropagation } : {};
  }

  #propagation(changed: boolean) {
    if (changed) this.revision += 1;
    const revision = String(this.revision);
    if (!changed) return { status: 'unchanged', revision, first_ack_node: null, waited_ms: 0 };
    const [first] = this.ackingNodes;
    const status = first === undefined ? 'deferred' : 'applied';
    return { status, revision, first_ack_node: first ?? null, waited_ms: 1 };
  }

  #strictResult() {
    const confirmed_nodes = this.liveNodes.filter((node) => this.ackingNodes.includes(node));
    const unconfirmed_nodes = this.liveNodes.filter((node) => !this.ackingNodes.includes(node));
    const confirmed = confirmed_nodes.length > 0 && unconfirmed_nodes.length === 0;
    return { confirmed, confirmed_nodes, unconfirmed_nodes };
  }

  #listModels() {
    const models = [...this.models.entries()].map(([model, body]) => ({ model, ...body }));
    return { authority: this.authority, revision: String(this.revision), models };
  }

  #listKeys() {
    const api_keys = [...this.keys.entries()].map(([key_id, { token_hash: _hash, ...listed }]) => ({
      key_id,
      ...listed,
    }));
    return { authority: this.authority, revision: String(this.revision), api_keys };
  }

  #worker() {
    const now = '2026-01-01T00:00:00Z';
    return {
      authority: this.authority,
      frontend_mode: this.frontendMode,
      protocol: 'http',
      hostname: 'router.example.com',
      tls_listen: false,
      tls_advertised: false,
      api_port: 10_410,
      port_range: null,
      wildcard_domain: null,
      wildcard_traffic_port: null,
      filtered_apps_only: false,
      traefik_last_used_marker_path: null,
      accepted_traffics: ['inference'],
      id: WORKER_ID,
      created_at: now,
      updated_at: now,
      available_slots: -1,
      occupied_slots: 0,
      nodes: this.liveNodes.length,
      slots: [],
      node_details: this.liveNodes.map((node_id) => ({
        node_id,
        address: '127.0.0.1:10410',
        version: '0.0.0',
        registered_at: now,
        last_seen: now,
        status: 'alive',
        revision: String(this.revision),
      })),
    };
  }

  #circuits() {
    const now = '2026-01-01T00:00:00Z';
    return [...this.endpoints.values()].map((endpoint) => {
      const item = this.routes.get(endpoint.deployment_id);
      return {
        id: this.#circuitOf(endpoint.deployment_id),
        app: endpoint.service_name,
        protocol: 'http',
        worker: WORKER_ID,
        app_mode: 'inference',
        frontend_mode: this.frontendMode,
        envs: {},
        arguments: null,
        open_to_public: item?.visibility === 'public' && item.requires_token === false,
        visibility: item?.visibility ?? 'public',
        requires_token: item?.requires_token ?? true,
        allowed_client_ips: item?.allowed_client_ips ?? null,
        endpoint_id: endpoint.deployment_id,
        runtime_variant: endpoint.tags.endpoint.runtime_variant,
        route_info: (item?.routes ?? []).map((route) => ({ ...route, protocol: 'http' })),
        session_ids: [],
        replica_groups: item?.replica_groups ?? null,
        served_model: item?.served_model ?? null,
        capabilities: item?.capabilities ?? null,
        policy: item?.policy ?? null,
        created_at: now,
        updated_at: now,
      };
    });
  }
}

function ok(body: unknown): Answer {
  return { status: 200, body };
}

function problem(status: number, title: string): Answer {
  const error_code = 'agent_request_invalid-parameters';
  return { status, body: { type: 'https://api.backend.ai/probs/x', title, error_code } };
}
