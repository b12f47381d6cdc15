/** Whose doing a failure is; a metric label. */
export type Fault = 'client' | 'config' | 'upstream' | 'platform';

/** One kind of failure. `type` is the OpenAI error type and marks the codes of the router's `/v1`. */
export interface ErrorEntry {
  readonly status: number;
  readonly fault: Fault;
  readonly retryable: boolean;
  readonly title: string;
  readonly type?: string;
}

/**
 * Codes of the router's `/v1`, answered as `{"error":{message,type,param,code}}`. They have no dots because clients
 * of other vendors compare them literally.
 */
const DATA_PLANE_ERRORS = {
  missing_api_key: client(401, 'authentication_error', 'No API key'),
  invalid_api_key: client(401, 'authentication_error', 'Unknown API key'),
  expired_api_key: client(401, 'authentication_error', 'Expired API key'),
  client_ip_not_allowed: client(403, 'permission_error', 'Client address not allowed'),
  model_not_allowed: client(403, 'permission_error', 'Model not granted to this key'),
  rate_limit_exceeded: { ...client(429, 'rate_limit_error', 'Rate limit exceeded'), retryable: true },
  model_not_found: client(404, 'invalid_request_error', 'Model not found'),
  missing_model: client(400, 'invalid_request_error', 'No model in the request'),
  invalid_json: client(400, 'invalid_request_error', 'Body is not JSON'),
  invalid_request: client(400, 'invalid_request_error', 'Invalid request'),
  unknown_url: client(404, 'invalid_request_error', 'Unknown URL'),
  method_not_allowed: client(405, 'invalid_request_error', 'Method not allowed'),
  request_timeout: {
    ...client(408, 'invalid_request_error', 'Request took too long to arrive'),
    retryable: true,
  },
  length_required: client(411, 'invalid_request_error', 'Length required'),
  request_too_large: client(413, 'invalid_request_error', 'Body too large'),
  unsupported_media_type: client(415, 'invalid_request_error', 'Unsupported content type'),
  expectation_failed: client(417, 'invalid_request_error', 'Expectation cannot be met'),
  headers_too_large: client(431, 'invalid_request_error', 'Headers too large'),
  client_closed_request: client(499, 'invalid_request_error', 'Client closed the request'),
  internal_error: { ...server(500, 'platform', 'Internal error'), retryable: false },
  upstream_error: server(502, 'upstream', 'Replica failed'),
  model_unavailable: server(503, 'upstream', 'No replica can serve the model'),
  not_ready: server(503, 'platform', 'Router has no configuration yet'),
  overloaded: server(503, 'platform', 'Too many requests in flight'),
  draining: server(503, 'platform', 'Router is shutting down'),
  upstream_timeout: server(504, 'upstream', 'Replica took too long'),
  endpoint_not_found: client(404, 'invalid_request_error', 'No deployment has this host name'),
  E20001: server(503, 'platform', 'Route change not delivered'),
  E20002: client(400, 'invalid_request_error', 'Protocol not available as interactive app'),
  E20003: server(504, 'platform', 'Frontend was not set up in time'),
  E20004: client(401, 'authentication_error', 'No permit cookie'),
  E20005: client(401, 'authentication_error', 'Permit cookie not valid'),
  E20006: client(401, 'authentication_error', 'No Authorization header'),
  E20007: client(401, 'authentication_error', 'Unsupported authorization scheme'),
  E20008: client(401, 'authentication_error', 'Deployment token not valid'),
  E20009: client(401, 'authentication_error', 'Deployment token is for another deployment'),
  E20010: server(502, 'platform', 'Frontend of the worker ended'),
  E20011: client(403, 'permission_error', 'Client address not allowed'),
  E20012: client(400, 'invalid_request_error', 'Not supported for interactive apps'),
  E20013: server(503, 'platform', 'Worker could not register'),
  E20014: server(503, 'platform', 'Coordinator not reachable'),
} as const satisfies Record<string, ErrorEntry>;

/** Codes of the manager and of the admin listeners, answered as `application/problem+json`. */
const CONTROL_ERRORS = {
  'request.invalid': control(400, 'Invalid request'),
  'request.malformed': control(400, 'Malformed request'),
  'request.not_found': control(404, 'No such URL'),
  'request.method_not_allowed': control(405, 'Method not allowed'),
  'request.timeout': { ...control(408, 'Request took too long to arrive'), retryable: true },
  'request.too_large': control(413, 'Body too large'),
  'request.unsupported_media_type': control(415, 'Unsupported content type'),
  'request.rate_limited': { ...control(429, 'Too many requests'), retryable: true },
  'auth.missing_token': control(401, 'No token'),
  'auth.invalid_token': control(401, 'Unknown, revoked or expired token'),
  'auth.forbidden': control(403, 'Not permitted'),
  'resource.not_found': control(404, 'Not found'),
  'resource.conflict': control(409, 'Conflict with the current state'),
  'resource.in_use': control(409, 'Still in use'),
  'resource.already_exists': control(409, 'Already exists'),
  'idempotency.key_reused': control(422, 'Idempotency key was used for another request'),
  'idempotency.in_progress': { ...control(409, 'Same request is still running'), retryable: true },
  'publication.name_taken': control(409, 'Name already published on this authority'),
  'publication.ratio_managed': control(409, 'Ratios are managed by a strategy'),
  'publication.wrong_authority': control(409, 'Deployment is served by another authority'),
  'publication.internal_deployment': control(400, 'An internal deployment cannot be published'),
  'deployment.published': control(409, 'A published deployment cannot become internal'),
  'deployment.has_downstreams': control(409, 'Deployment is the upstream of others'),
  'upstream.cycle': control(409, 'Upstreams would form a cycle'),
  'upstream.not_configured': {
    status: 501,
    fault: 'config',
    retryable: false,
    title: 'Upstream bindings are not configured',
  },
  'upstream.token_pending': platform(503, 'The token of the upstream is not there yet'),
  'model_key.no_models': control(400, 'A key must grant at least one model'),
  'model_key.model_not_available': control(400, 'Model is not published or not visible to the owner'),
  'model_key.revoked': control(409, 'Key is revoked'),
  'replica.address_not_allowed': control(400, 'Replica address is outside the allowed networks'),
  'authority.unknown': control(400, 'No such router authority'),
  'coordinator.unavailable': platform(503, 'Coordinator not reachable'),
  'coordinator.refused': platform(502, 'Coordinator refused the change'),
  'database.unavailable': platform(503, 'Database not reachable'),
  'service.not_ready': platform(503, 'Not ready'),
  'service.internal': { ...platform(500, 'Internal error'), retryable: false },
} as const satisfies Record<string, ErrorEntry>;

/** Every failure we expect, by code. `docs/errors.md` has an entry for each. */
export const ERRORS = { ...DATA_PLANE_ERRORS, ...CONTROL_ERRORS } as const;

export type ErrorCode = keyof typeof ERRORS;

/** Codes with an OpenAI `type`. */
export type DataPlaneErrorCode = keyof typeof DATA_PLANE_ERRORS;

function client(status: number, type: string, title: string) {
  return { status, fault: 'client', retryable: false, title, type } as const;
}

function server(status: number, fault: Fault, title: string) {
  return { status, fault, retryable: true, title, type: 'server_error' } as const;
}

function control(status: number, title: string) {
  return { status, fault: 'client', retryable: false, title } as const;
}

function platform(status: number, title: string) {
  return { status, fault: 'platform', retryable: true, title } as const;
}
