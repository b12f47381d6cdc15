import type { KeyEntry, Snapshot } from '../snapshot/index.js';
import { isGranted } from '../routing/index.js';

/** One entry of the model list, in the form OpenAI clients read. */
export interface ModelObject {
  readonly id: string;
  readonly object: 'model';
  /** Publications carry no date on the wire. */
  readonly created: 0;
  readonly owned_by: 'penstock';
}

/** Exactly the published names this key may call, aliases included, in the order of their code units. */
export function listModels(snapshot: Snapshot, key: KeyEntry) {
  const names = [...snapshot.modelsByName.keys()].filter((name) => isGranted(key, name)).sort();
  return { object: 'list' as const, data: names.map(modelObject) };
}

export function modelObject(id: string): ModelObject {
  return { id, object: 'model', created: 0, owned_by: 'penstock' };
}
