import { isObject, type JsonObject, listAt } from '../checking/json.js';
import { loadVectors } from '../checking/vectors.js';

/** The error body of that name. @throws Error when there is none. */
export function errorVector(name: string): JsonObject {
  const found = listAt(loadVectors('errors'), 'cases').find(
    (entry) => isObject(entry) && entry['name'] === name,
  );
  const body = isObject(found) ? found['body'] : undefined;
  if (!isObject(body)) throw new Error(`there is no error vector ${name}`);
  return body;
}
