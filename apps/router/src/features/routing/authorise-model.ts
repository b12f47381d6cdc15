import { AppError } from '@penstock/protocol';
import type { KeyEntry, ModelRoute, Snapshot } from '../snapshot/index.js';

/** Names of models are the callers' text; a message shows no more than this of one. */
const SHOWN_CHARACTERS_MAX = 128;

/** Whether a key may call a published name. Aliases are granted one by one. */
export function isGranted(key: KeyEntry, name: string): boolean {
  return key.unrestricted || key.allowedModels.has(name);
}

/**
 * The route of a model name this key may call.
 * @param hideUngranted - answers 404 for both, so that names cannot be probed
 * @throws AppError `model_not_found`, `model_not_allowed`
 */
export function authoriseModel(
  snapshot: Snapshot,
  key: KeyEntry,
  name: string,
  hideUngranted: boolean,
): ModelRoute {
  const route = snapshot.modelsByName.get(name);
  const granted = isGranted(key, name);
  if (route !== undefined && granted) return route;
  if (route === undefined || hideUngranted) throw notFound(name);
  throw new AppError('model_not_allowed', `This API key does not grant the model \`${shown(name)}\`.`, {
    param: 'model',
  });
}

function notFound(name: string): AppError {
  const message = `The model \`${shown(name)}\` does not exist. GET /v1/models lists the models of this key.`;
  return new AppError('model_not_found', message, { param: 'model' });
}

function shown(name: string): string {
  return name.length > SHOWN_CHARACTERS_MAX ? `${name.slice(0, SHOWN_CHARACTERS_MAX)}…` : name;
}
