import type { CallOptions } from './coordinator-client.port.js';
import type { EntityRef } from './domain/entity-ref.js';

/** How one entity is brought to the coordinator. */
export interface SendOptions extends CallOptions {
  /** For a key that is to be removed: ask every live node for its acknowledgement. */
  readonly strict?: boolean;
  /** An entity that was changed on the way, and whose own state has to be sent after this one. */
  readonly onDisplaced?: (ref: EntityRef) => Promise<void>;
}
