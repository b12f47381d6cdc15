import { CheckFailed } from '../checking/expect.js';
import { copy, isObject, listAt, type JsonObject } from '../checking/json.js';
import { loadVectors } from '../checking/vectors.js';

export type WorkerKind = 'wildcard' | 'port' | 'interactive-port' | 'router';

const VECTOR_OF: Readonly<Record<WorkerKind, string>> = {
  wildcard: 'stock-wildcard',
  port: 'stock-port',
  'interactive-port': 'stock-port',
  router: 'router-minimal',
};

/** Body of the registration vector of that name. @throws CheckFailed when there is none. */
export function registrationVector(name: string): JsonObject {
  return vectorPart(name, 'body');
}

/** What the vector of that name is answered with. */
export function registrationAnswer(name: string): JsonObject {
  return vectorPart(name, 'response');
}

/**
 * A registration like the vectors', under a name and at addresses that nobody else uses.
 * @param ordinal - how many the check registered before
 */
export function registration(kind: WorkerKind, authority: string, tag: string, ordinal: number): JsonObject {
  const body = { ...registrationVector(VECTOR_OF[kind]), authority: `conformance-${authority}-${ordinal}` };
  const host = `${tag}-${ordinal}.conformance.test`;
  if (kind === 'wildcard') return { ...body, hostname: host, wildcard_domain: `.${host}` };
  if (kind === 'port') return { ...body, hostname: host, accepted_traffics: ['inference'] };
  return { ...body, hostname: host };
}

function vectorPart(name: string, part: 'body' | 'response'): JsonObject {
  const found = listAt(loadVectors('registration'), 'register').find(
    (entry) => isObject(entry) && entry['name'] === name,
  );
  const value = isObject(found) ? found[part] : undefined;
  if (!isObject(value)) throw new CheckFailed(`there is no registration vector ${name}`);
  return copy(value);
}
