import type { AdmissionService, ClientAddress, LoadShedder } from '../admission/index.js';
import type { ForwardingDeps } from '../proxy/index.js';
import type { ReplicaRegistry } from '../routing/index.js';
import type { SnapshotStore } from '../snapshot/index.js';
import type { RequestFinisher } from '../usage/index.js';
import type { CorsPolicy } from './domain/cors.js';

/** What the steps of a request need from the process, whichever mode and listener it came in by. */
export interface HandlingDeps {
  readonly snapshots: SnapshotStore;
  readonly registry: ReplicaRegistry;
  readonly admission: AdmissionService;
  readonly load: LoadShedder;
  readonly clientAddress: ClientAddress;
  /** Whether a peer is one of the operator's proxies, whose word on the client is believed. */
  readonly trustsPeer: (peer: string) => boolean;
  readonly cors: CorsPolicy;
  readonly finisher: RequestFinisher;
  readonly forwarding: ForwardingDeps;
  readonly bodyLimitBytes: number;
  readonly hideUngrantedModels: boolean;
  /** Wall clock in milliseconds since the epoch; keys and tokens expire by it. */
  readonly now: () => number;
}
