import type { ModelApiKey } from '@penstock/protocol';
import type { ShardedMap } from '../../../sharded-map.js';

/**
 * The keys of a complete list, as a changed copy of those held: what both have in common is shared. Pauses after each
 * key, as a list may be long; of two keys with one id the last counts.
 */
export function* replaceKeys(
  held: ShardedMap<ModelApiKey>,
  listed: readonly ModelApiKey[],
): Generator<void, ShardedMap<ModelApiKey>> {
  const draft = held.edit();
  const ids = new Set<string>();
  for (const key of listed) {
    draft.set(key.key_id, key);
    ids.add(key.key_id);
    yield;
  }
  if (draft.size > ids.size) {
    for (const id of held.keys()) {
      if (!ids.has(id)) draft.delete(id);
      yield;
    }
  }
  return draft.done();
}
