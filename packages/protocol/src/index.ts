/** The AppProxy wire as Penstock speaks it: schemas and types, event codec, errors, header names. Depends on zod only. */
export {
  frontendModeSchema,
  proxyProtocolSchema,
  appModeSchema,
  replicaGroupLifecycleSchema,
  controlModeSchema,
  type FrontendMode,
  type ProxyProtocol,
  type AppMode,
  type ReplicaGroupLifecycle,
  type ControlMode,
} from './enums.js';
export {
  toWireTimestamp,
  uuidSchema,
  timestampSchema,
  revisionSchema,
  wireBool,
  wireInt,
  wirePort,
} from './wire/scalars.js';
export { wireObject } from './wire/wire-object.js';
export { authoritySchema, modelNameSchema, keyIdSchema, storedText, storedJsonObject } from './wire/text.js';
export { hostSchema } from './wire/host.js';
export { ROUTES_MAX } from './http/limits.js';
export { replicaGroupSchema, type ReplicaGroup } from './http/replica-group.js';
export { routeInfoSchema, canonicalRoute, type Accelerators, type RouteInfo } from './http/route-info.js';
export {
  canonicalCircuit,
  circuitAccess,
  circuitSchema,
  circuitsResponseSchema,
  type Circuit,
  type DecodedCircuit,
  type CircuitsResponse,
} from './http/circuit.js';
export {
  workerRequestSchema,
  nodeDetailSchema,
  slotSchema,
  slotsResponseSchema,
  workerResponseSchema,
  workersResponseSchema,
  nodeReferenceSchema,
  type InternalFrontend,
  type WorkerRequest,
  type NodeDetail,
  type Slot,
  type SlotsResponse,
  type WorkerResponse,
  type WorkersResponse,
  type NodeReference,
} from './http/worker.js';
export {
  publicationMappingSchema,
  canonicalPublication,
  publicationSchema,
  putModelBodySchema,
  type PublicationMapping,
  type Publication,
  type PutModelBody,
} from './http/publication.js';
export {
  canonicalKey,
  modelApiKeySchema,
  putKeyBodySchema,
  listedKeySchema,
  type ModelApiKey,
  type PutKeyBody,
  type ListedKey,
} from './http/model-api-key.js';
export {
  routerConfigSchema,
  routerConfigOutlineSchema,
  routerConfigQuerySchema,
  revisionEtag,
  etagMatches,
  type RouterConfig,
} from './http/router-config.js';
export {
  propagationSchema,
  strictResultSchema,
  listModelsResponseSchema,
  listKeysResponseSchema,
  putModelResponseSchema,
  putKeyResponseSchema,
  deleteResponseSchema,
  wireErrorBodySchema,
  type Propagation,
  type StrictResult,
  type ListModelsResponse,
  type ListKeysResponse,
  type PutModelResponse,
  type PutKeyResponse,
  type DeleteResponse,
  type WireErrorBody,
} from './http/propagation.js';
export {
  circuitPropagationSchema,
  propagationQuerySchema,
  type CircuitPropagation,
} from './http/circuit-propagation.js';
export {
  healthCheckSchema,
  putHealthCheckBodySchema,
  type HealthCheck,
  type PutHealthCheckBody,
} from './http/health-check.js';
export {
  endpointBodySchema,
  endpointItemSchema,
  bulkCreateRequestSchema,
  bulkCreateResponseSchema,
  createEndpointResponseSchema,
  bulkDeleteRequestSchema,
  bulkOutcomeSchema,
  bulkOutcomesResponseSchema,
  tokenRequestSchema,
  tokenResponseSchema,
  successResponseSchema,
  type EndpointBody,
  type EndpointItem,
  type BulkCreateRequest,
  type BulkCreateResponse,
  type CreateEndpointResponse,
  type BulkDeleteRequest,
  type BulkOutcome,
  type BulkOutcomesResponse,
  type TokenRequest,
  type TokenResponse,
  type SuccessResponse,
  clientIpsSchema,
} from './http/endpoints.js';
export {
  routeEntrySchema,
  routesItemSchema,
  bulkRoutesRequestSchema,
  unregisterItemSchema,
  bulkUnregisterRequestSchema,
  registerOutcomeSchema,
  bulkRegisterResponseSchema,
  unregisterOutcomeSchema,
  bulkUnregisterResponseSchema,
  type RouteEntry,
  type RoutesItem,
  type BulkRoutesRequest,
  type UnregisterItem,
  type BulkUnregisterRequest,
  type RegisterOutcome,
  type BulkRegisterResponse,
  type UnregisterOutcome,
  type BulkUnregisterResponse,
} from './http/routes.js';
export {
  EVENT_CHANNEL,
  EVENT_SOURCES,
  EVENT_NAMES,
  type AckKind,
  type CircuitCreated,
  type CircuitRemoved,
  type WorkerCircuitAdded,
  type CircuitRouteUpdated,
  type RouterModelUpdated,
  type RouterModelRemoved,
  type RouterKeyUpdated,
  type RouterKeyRemoved,
  type RouterConfigApplied,
  type AppProxyEvent,
} from './events/event.js';
export { readTraceparent } from './traceparent.js';
export { encodeEnvelope, type EnvelopeMode, type EncodeOptions } from './events/encode-envelope.js';
export {
  ENVELOPE_LENGTH_MAX,
  decodeEnvelope,
  type EnvelopeMetadata,
  type DecodedEnvelope,
} from './events/decode-envelope.js';
export {
  ERRORS,
  type Fault,
  type ErrorEntry,
  type ErrorCode,
  type DataPlaneErrorCode,
} from './errors/catalogue.js';
export { AppError, type FieldError } from './errors/app-error.js';
export { WIRE_ERRORS, type WireErrorEntry, type WireErrorKind } from './errors/wire-catalogue.js';
export { WireError, type WireErrorJson, type ColocatedWorker } from './errors/wire-error.js';
export { wireIssues, type WireIssue } from './errors/wire-issue.js';
export {
  resolveVisibility,
  toOpenToPublic,
  visibilitySchema,
  type AccessWish,
  type CircuitAccess,
  type ResolvedAccess,
  type Visibility,
} from './access/visibility.js';
export { signHs256, verifyHs256, type JwtClaims, type VerifiedJwt } from './access/jwt.js';
export {
  circuitTokenClaims,
  type CircuitTokenClaims,
  type CircuitTokenOptions,
} from './access/circuit-token.js';
export {
  PERMIT_COOKIE,
  PERMIT_DIGESTS,
  permitCookieValue,
  type PermitDigest,
} from './access/permit-cookie.js';
export { subdomainFor } from './access/subdomain.js';
export { HEADERS } from './headers.js';
export { hashKey, displayHint } from './keys.js';
export { unwrapMappedIpv4 } from './ip-address.js';
export { parseIpList, isIpOrCidr, type IpAllowlist } from './ip-allowlist.js';
