import { randomUUID } from 'node:crypto';
import { type JsonObject, textAt } from '../checking/json.js';
import { jwt } from '../coordinator/coordinator-check.js';
import { USER } from '../coordinator/endpoint-item.js';

interface Carrier {
  readonly mode: string;
  readonly coordinator: { readonly workerId: string };
}

/** A route to a port of this machine. */
export function makeRoute(kernelPort: number): JsonObject {
  return {
    route_id: randomUUID(),
    session_id: randomUUID(),
    session_name: null,
    kernel_host: '127.0.0.1',
    kernel_port: kernelPort,
    protocol: 'http',
    traffic_ratio: 1.0,
  };
}

/** An inference circuit for a worker, with fields in the order of the protocol. */
export function makeCircuit(
  { mode, coordinator }: Carrier,
  app: string,
  fields: JsonObject,
  kernelPorts: readonly number[],
): JsonObject {
  const now = new Date().toISOString();
  return {
    id: randomUUID(),
    app,
    protocol: 'http',
    worker: coordinator.workerId,
    app_mode: 'inference',
    frontend_mode: mode,
    envs: {},
    arguments: null,
    open_to_public: false,
    allowed_client_ips: null,
    port: null,
    subdomain: null,
    user_id: USER,
    endpoint_id: randomUUID(),
    runtime_variant: 'vllm',
    route_info: kernelPorts.map(makeRoute),
    session_ids: [],
    created_at: now,
    updated_at: now,
    ...fields,
  };
}

/** The claims of an access token for a circuit. */
export function tokenClaims(circuit: JsonObject): JsonObject {
  const { route_info: _, ...columns } = circuit;
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  return { ...columns, app_url: 'https://any.example.com', user: USER, exp };
}

/** An access token for a circuit. */
export function tokenFor(circuit: JsonObject, secret: string): string {
  return jwt(tokenClaims(circuit), secret);
}

/** Its id. */
export function idOf(circuit: JsonObject): string {
  return textAt(circuit, 'id');
}
