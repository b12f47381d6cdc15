import type { Circuit, ModelApiKey, Publication } from '@penstock/protocol';
import type { ShardedMap } from '../../../sharded-map.js';
import { buildEndpoints, type EndpointIndex } from './build-endpoints.js';
import { buildKeys, type KeyIndex, type KeyRules } from './build-keys.js';
import { buildModels, type ModelIndex } from './build-models.js';
import type { Snapshot } from './snapshot.js';

/** The wire entities a snapshot is made of, each kind complete and by id. They and the maps never change. */
export interface SnapshotInput {
  readonly revision: string;
  readonly circuits: ReadonlyMap<string, Circuit>;
  readonly publications: ReadonlyMap<string, Publication>;
  readonly keys: ShardedMap<ModelApiKey>;
}

/** A snapshot with what the next one can be built on. */
export interface SnapshotBuild {
  readonly snapshot: Snapshot;
  readonly endpoints: EndpointIndex;
  readonly models: ModelIndex;
  readonly keys: KeyIndex;
}

/** A refusal leaves the last good snapshot in place; its reasons are for the operator and hold no secret. */
export type BuildResult =
  | ({ readonly kind: 'built' } & SnapshotBuild)
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

const REASONS_SHOWN_MAX = 20;

/**
 * Builds what requests are served from. Pure, so equal input gives an equal snapshot on every node.
 * Ambiguity is refused rather than guessed: two owners of a name, two keys with one hash, an unreadable key.
 *
 * @param base - the build before this one. What its input shares with this one is not built again and keeps its
 *   identity, so that the cost of a change is that of what changed; the result is the same without it.
 */
export function buildSnapshot(
  input: SnapshotInput,
  rules: KeyRules,
  base: SnapshotBuild | null = null,
): BuildResult {
  const reasons: string[] = [];
  const endpoints = buildEndpoints(input.circuits, base?.endpoints ?? null);
  const models = buildModels(input.publications, endpoints.targets, base?.models ?? null, reasons);
  const keys = buildKeys(input.keys, rules, base?.keys ?? null, reasons);
  if (reasons.length > 0) return { kind: 'refused', reasons: reasons.slice(0, REASONS_SHOWN_MAX) };
  const snapshot = Object.freeze({
    revision: input.revision,
    keysByHash: keys.byHash,
    modelsByName: models.byName,
    endpoints: endpoints.list,
    publicHosts: endpoints.hosts.public,
    internalHosts: endpoints.hosts.internal,
  });
  return { kind: 'built', snapshot, endpoints, models, keys };
}
