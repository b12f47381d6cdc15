/**
 * One deployment declared the upstream of another: the binding, its token, its rotation, and the environment in which
 * the downstream's service finds both. Nothing here forwards a request.
 */
export { FileEnvironmentSink } from './adapters/file-environment.sink.js';
export { requireNoDownstreams, unbindingAudit } from './bind-upstream.js';
export type { BindingsOptions } from './bindings-options.js';
export { TokenCipher } from './domain/token-cipher.js';
export { RenewStaleTokensService } from './renew-stale-tokens.service.js';
export { RotationScheduler } from './rotation.scheduler.js';
export { UpstreamBindingsModule } from './upstream-bindings.module.js';
export { UpstreamsService } from './upstreams.service.js';
