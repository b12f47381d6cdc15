import type { Circuit, ModelApiKey, Publication } from '@penstock/protocol';
import { buildEndpoints } from './build-endpoints.js';
import { buildKeys, type KeyRules } from './build-keys.js';
import { buildModels } from './build-models.js';
import type { Snapshot } from './snapshot.js';

/** The wire entities a snapshot is made of, each kind complete. */
export interface SnapshotInput {
  readonly revision: string;
  readonly circuits: Iterable<Circuit>;
  readonly publications: Iterable<Publication>;
  readonly keys: Iterable<ModelApiKey>;
}

/** A refusal leaves the last good snapshot in place; its reasons are for the operator and hold no secret. */
export type BuildResult =
  | { readonly kind: 'built'; readonly snapshot: Snapshot }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

const REASONS_SHOWN_MAX = 20;

/**
 * Builds what requests are served from. Pure, so equal input gives an equal snapshot on every node.
 * Ambiguity is refused rather than guessed: two owners of a name, two keys with one hash, an unreadable key.
 */
export function buildSnapshot(input: SnapshotInput, rules: KeyRules): BuildResult {
  const reasons: string[] = [];
  const endpoints = buildEndpoints(input.circuits);
  const modelsByName = buildModels(input.publications, endpoints, reasons);
  const keysByHash = buildKeys(input.keys, rules, reasons);
  if (reasons.length > 0) return { kind: 'refused', reasons: reasons.slice(0, REASONS_SHOWN_MAX) };
  const snapshot = Object.freeze({
    revision: input.revision,
    keysByHash,
    modelsByName,
    endpoints: Object.freeze([...endpoints.values()]),
  });
  return { kind: 'built', snapshot };
}
