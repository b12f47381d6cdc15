import type { Circuit } from '../http/circuit.js';

export interface CircuitTokenOptions {
  /** URL of the endpoint, as its creation answered it. */
  readonly appUrl: string;
  /** Whom the token is for. */
  readonly userId: string;
  /** UNIX seconds, whole; a past one is signed as well. */
  readonly exp: number;
}

/** Everything a deployment access token says: the circuit but for its routes, the endpoint's URL, the holder, the end. */
export interface CircuitTokenClaims {
  readonly id: string;
  readonly [claim: string]: unknown;
}

/** Claims of a deployment access token, in the order of the peers. A data plane checks `id` alone. */
export function circuitTokenClaims(
  circuit: Circuit,
  { appUrl, userId, exp }: CircuitTokenOptions,
): CircuitTokenClaims {
  return {
    id: circuit.id,
    app: circuit.app,
    protocol: circuit.protocol,
    worker: circuit.worker,
    app_mode: circuit.app_mode,
    frontend_mode: circuit.frontend_mode,
    port: circuit.port,
    subdomain: circuit.subdomain,
    envs: circuit.envs,
    arguments: circuit.arguments,
    open_to_public: circuit.open_to_public,
    allowed_client_ips: circuit.allowed_client_ips,
    user_id: circuit.user_id,
    endpoint_id: circuit.endpoint_id,
    runtime_variant: circuit.runtime_variant,
    session_ids: circuit.session_ids,
    created_at: unixSeconds(circuit.created_at),
    updated_at: unixSeconds(circuit.updated_at),
    app_url: appUrl,
    user: userId,
    exp,
  };
}

function unixSeconds(timestamp: string): number {
  return Date.parse(timestamp) / 1000;
}
