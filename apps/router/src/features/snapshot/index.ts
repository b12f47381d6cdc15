export type {
  EndpointTarget,
  GroupTarget,
  KeyEntry,
  ModelRoute,
  ReplicaTarget,
  Snapshot,
  WeightedEndpoint,
} from './domain/snapshot.js';
export { SnapshotStore } from './snapshot.store.js';
