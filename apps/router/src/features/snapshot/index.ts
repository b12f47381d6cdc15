export { buildSnapshot, type BuildResult, type SnapshotInput } from './domain/build-snapshot.js';
export { DEFAULT_GROUP_ID } from './domain/build-groups.js';
export type { KeyRules } from './domain/build-keys.js';
export type {
  EndpointTarget,
  GroupTarget,
  KeyEntry,
  ModelRoute,
  ReplicaTarget,
  Snapshot,
  WeightedEndpoint,
} from './domain/snapshot.js';
export { SnapshotModule } from './snapshot.module.js';
export { SnapshotStore } from './snapshot.store.js';
