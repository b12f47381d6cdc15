import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { benchKeys, modelName, PUBLICATION_COUNT, SERVED_MODEL } from '../scenario.ts';

const WORKER_ID = '5b0e3c52-9d8e-4f37-8a11-000000000001';
const REVISION = '1';
const WHEN = '2026-01-01T00:00:00Z';
/** Publications share a few deployments, as models with several names do. */
const DEPLOYMENTS = 10;

export interface CoordinatorStub {
  readonly url: string;
  stop(): void;
}

/** Plays the coordinator for one router: takes its registration and hands out one fixed state. */
export async function startCoordinatorStub(mockPort: number): Promise<CoordinatorStub> {
  const answerTo = answersOf(mockPort);
  const server: Server = createServer((request, response) => {
    request.resume().on('end', () => send(request, response, answerTo(request)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Answer = { status: number; body: object } | null;

function answersOf(mockPort: number): (request: IncomingMessage) => Answer {
  const circuits = Array.from({ length: DEPLOYMENTS }, (_, index) => circuit(index, mockPort));
  const config = { revision: REVISION, models: publications(), api_keys: apiKeys() };
  return (request) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path.endsWith('/circuits')) return { status: 200, body: { circuits } };
    if (path.endsWith('/router-config')) return isCurrent(request) ? null : { status: 200, body: config };
    if (request.method === 'DELETE') return { status: 200, body: { success: true } };
    return { status: 200, body: WORKER };
  };
}

function isCurrent(request: IncomingMessage): boolean {
  const known = new URL(request.url ?? '', 'http://stub').searchParams.get('known_revision');
  return known === REVISION || request.headers['if-none-match'] === `"${REVISION}"`;
}

function send(_request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const headers = { etag: `"${REVISION}"`, 'content-type': 'application/json' };
  if (answer === null) response.writeHead(304, headers).end();
  else response.writeHead(answer.status, headers).end(JSON.stringify(answer.body));
}

const uuid = (kind: string, index: number): string =>
  `a3c1e5d7-2b4f-4a2b-8c3d-${kind}${String(index).padStart(10, '0')}`;

const WORKER = {
  authority: 'bench',
  frontend_mode: 'router',
  protocol: 'http',
  hostname: '127.0.0.1',
  tls_listen: false,
  tls_advertised: false,
  api_port: 10_400,
  port_range: null,
  wildcard_domain: null,
  wildcard_traffic_port: null,
  filtered_apps_only: false,
  traefik_last_used_marker_path: null,
  accepted_traffics: ['inference'],
  traffic_port: 10_400,
  id: WORKER_ID,
  created_at: WHEN,
  updated_at: WHEN,
  available_slots: -1,
  occupied_slots: 0,
  nodes: 1,
  slots: [],
};

function circuit(index: number, mockPort: number): object {
  const sessionId = uuid('55', index);
  return {
    id: uuid('c1', index),
    app: `bench-${index}`,
    protocol: 'http',
    worker: WORKER_ID,
    app_mode: 'inference',
    frontend_mode: 'router',
    envs: {},
    arguments: null,
    open_to_public: false,
    allowed_client_ips: null,
    port: null,
    subdomain: null,
    user_id: null,
    endpoint_id: uuid('ea', index),
    runtime_variant: 'vllm',
    route_info: [
      {
        route_id: uuid('12', index),
        session_id: sessionId,
        session_name: null,
        kernel_host: '127.0.0.1',
        kernel_port: mockPort,
        protocol: 'http',
        traffic_ratio: 1,
      },
    ],
    session_ids: [sessionId],
    created_at: WHEN,
    updated_at: WHEN,
    served_model: SERVED_MODEL,
  };
}

function publications(): object[] {
  return Array.from({ length: PUBLICATION_COUNT }, (_, index) => ({
    model: modelName(index),
    aliases: [],
    mappings: [
      { endpoint_id: uuid('ea', index % DEPLOYMENTS), ratio: 0.7 },
      { endpoint_id: uuid('ea', (index + 1) % DEPLOYMENTS), ratio: 0.3 },
    ],
    control_mode: 'manual',
  }));
}

function apiKeys(): object[] {
  return benchKeys().map(({ hash, models }, index) => ({
    key_id: uuid('ce', index),
    token_hash: hash,
    allowed_models: models,
    expires_at: null,
    rate_limit: null,
    allowed_client_ips: null,
  }));
}
