import type { Circuit, ModelApiKey, Publication } from '@penstock/protocol';
import { ShardedMap } from '../../../sharded-map.js';
import type { SnapshotInput } from '../index.js';

interface Lists {
  readonly revision?: string;
  readonly circuits?: readonly Circuit[];
  readonly publications?: readonly Publication[];
  readonly keys?: readonly ModelApiKey[];
}

/** The input of a build from lists; what is left out is empty. */
export function snapshotInput({
  revision = '1',
  circuits = [],
  publications = [],
  keys = [],
}: Lists): SnapshotInput {
  return {
    revision,
    circuits: new Map(circuits.map((circuit) => [circuit.id, circuit])),
    publications: new Map(publications.map((publication) => [publication.model, publication])),
    keys: keysById(keys),
  };
}

/** Of two keys with one id the last counts. */
export function keysById(keys: readonly ModelApiKey[]): ShardedMap<ModelApiKey> {
  return ShardedMap.from(keys.map((key) => [key.key_id, key]));
}
