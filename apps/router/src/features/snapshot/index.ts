/**
 * The one frozen object requests are served from, how it is built from wire entities, and where it is held. What should
 * be in it is decided in `control`.
 */
export { buildSnapshot, type SnapshotBuild, type SnapshotInput } from './domain/build-snapshot.js';
export type { KeyRules } from './domain/build-keys.js';
export type {
  EndpointTarget,
  GroupTarget,
  KeyEntry,
  ModelRoute,
  ReplicaTarget,
  Snapshot,
} from './domain/snapshot.js';
export { SnapshotModule } from './snapshot.module.js';
export { SnapshotStore } from './snapshot.store.js';
