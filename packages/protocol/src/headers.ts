/** Header names, lower-case as `node:http` delivers them. */
export const HEADERS = {
  /** Carries the shared `api_secret` on every control call. */
  backendaiToken: 'x-backendai-token',
  backendaiRequestId: 'x-backendai-requestid',
  /** Ours on every response: `req_<UUIDv7>`. */
  requestId: 'x-request-id',
  /** What the caller sent as its own request id. */
  clientRequestId: 'x-penstock-client-request-id',
  /** Node that served a request. */
  node: 'x-penstock-node',
  /** Revision of the snapshot a request was served from. */
  revision: 'x-penstock-revision',
  /** How many replicas were tried. */
  attempts: 'x-penstock-attempts',
  apiKey: 'x-api-key',
  authorization: 'authorization',
  idempotencyKey: 'idempotency-key',
  methodOverride: 'x-method-override',
  traceparent: 'traceparent',
  etag: 'etag',
  ifNoneMatch: 'if-none-match',
  retryAfter: 'retry-after',
  allow: 'allow',
} as const;
