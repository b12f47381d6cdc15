/** One kind of AppProxy error body. `suffix` follows `https://api.backend.ai/probs/` in `type`. */
export interface WireErrorEntry {
  readonly status: number;
  readonly suffix: string;
  readonly title: string;
  readonly error_code: string;
}

/** The error bodies the coordinator answers. Titles and codes are compared literally by peers. */
export const WIRE_ERRORS = {
  invalidApiParams: entry(
    400,
    'invalid-api-params',
    'Missing or invalid API parameters.',
    'agent_request_invalid-parameters',
  ),
  badRequest: entry(400, 'generic-bad-request', 'Bad request.', 'agent_request_bad-request'),
  missingSessionParameter: entry(
    400,
    'appproxy/invalid-session-parameter',
    'Invalid session parameter.',
    'kernel_access_invalid-parameters',
  ),
  internalPublication: entry(
    400,
    'appproxy/internal-publication',
    'An internal endpoint cannot be published.',
    'appproxy_create_invalid-parameters',
  ),
  missingFrontendConfig: entry(
    400,
    'appproxy/missing-frontend-config',
    'Frontend configuration is missing.',
    'kernel_setup_not-found',
  ),
  authFailed: entry(401, 'auth-failed', 'Credential/signature mismatch.', 'agent_auth_unauthorized'),
  invalidCredentials: entry(
    401,
    'invalid-credentials',
    'Authentication credentials not valid.',
    'agent_auth_unauthorized',
  ),
  forbidden: entry(403, 'generic-forbidden', 'Forbidden operation.', 'agent_access_forbidden'),
  clientIpNotAllowed: entry(
    403,
    'client-ip-not-allowed',
    'Client address not allowed.',
    'appproxy_access_forbidden',
  ),
  objectNotFound: entry(404, 'object-not-found', 'E00002: No such object.', 'agent_read_not-found'),
  urlNotFound: entry(404, 'url-not-found', 'Unknown URL path.', 'agent_request_not-found'),
  methodNotAllowed: entry(405, 'method-not-allowed', 'HTTP Method Not Allowed.', 'agent_request_bad-request'),
  workerColocationConflict: entry(
    409,
    'appproxy/worker-colocation-conflict',
    'E10002: ROUTER and stock inference workers cannot share a coordinator.',
    'appproxy_create_conflict',
  ),
  modelNameConflict: entry(
    409,
    'appproxy/model-name-conflict',
    'Model name already published on this authority.',
    'appproxy_create_already-exists',
  ),
  keyHashConflict: entry(
    409,
    'appproxy/key-hash-conflict',
    'Another key of this authority has this hash.',
    'appproxy_create_already-exists',
  ),
  endpointAuthorityConflict: entry(
    409,
    'appproxy/endpoint-authority-conflict',
    'Endpoint is served by another authority.',
    'appproxy_create_conflict',
  ),
  endpointPublished: entry(
    409,
    'appproxy/endpoint-published',
    'A published endpoint cannot become internal.',
    'appproxy_update_conflict',
  ),
  endpointInUse: entry(
    409,
    'appproxy/endpoint-in-use',
    'Endpoint is the upstream of others.',
    'appproxy_delete_conflict',
  ),
  upstreamConflict: entry(
    409,
    'appproxy/upstream-conflict',
    'Endpoint cannot have this upstream.',
    'appproxy_create_conflict',
  ),
  portNotAvailable: entry(
    409,
    'appproxy/port-not-available',
    'Designated port already occupied.',
    'agent_setup_already-exists',
  ),
  bodyTooLarge: entry(
    413,
    'request-entity-too-large',
    'Request body too large.',
    'agent_request_bad-request',
  ),
  unsupportedMediaType: entry(
    415,
    'unsupported-media-type',
    'Unsupported content type.',
    'agent_request_bad-request',
  ),
  internalServerError: entry(
    500,
    'internal-server-error',
    'Internal server error.',
    'agent_generic_internal-error',
  ),
  serverMisconfigured: entry(
    500,
    'server-misconfigured',
    'E00001: Service misconfigured.',
    'agent_setup_invalid-parameters',
  ),
  containerConnectionRefused: entry(
    502,
    'appproxy/container-connection-refused',
    'Cannot connect to Backend.AI kernel.',
    'kernel_access_unreachable',
  ),
  workerNotResponding: entry(503, 'service-unavailable', 'Service unavailable.', 'agent_generic_unavailable'),
  workerNotAvailable: entry(
    503,
    'appproxy/worker-not-available',
    'Worker not available.',
    'agent_access_not-found',
  ),
} as const satisfies Record<string, WireErrorEntry>;

export type WireErrorKind = keyof typeof WIRE_ERRORS;

function entry(status: number, suffix: string, title: string, error_code: string): WireErrorEntry {
  return { status, suffix, title, error_code };
}
