import {
  circuitSchema,
  modelApiKeySchema,
  publicationSchema,
  routerConfigOutlineSchema,
  type Circuit,
} from '@penstock/protocol';
import { z } from 'zod';
import type { PulledConfig } from '../domain/apply-pull.js';
import { heldCircuit } from '../domain/held-circuit.js';
import { replaceKeys } from '../domain/replace-keys.js';
import { parseAnswer } from './parse-answer.js';
import { readList } from './read-list.js';

const heldCircuitSchema = circuitSchema.transform(heldCircuit);
const circuitsOutlineSchema = z.object({ circuits: z.array(z.unknown()) });

/** @throws CoordinatorError `unreadable` */
export function* readCircuits(
  answer: unknown,
  held: ReadonlyMap<string, Circuit>,
): Generator<void, readonly Circuit[]> {
  const what = 'circuits';
  const { circuits } = parseAnswer(circuitsOutlineSchema, answer, what);
  return yield* readList(circuits, {
    what,
    field: 'circuits',
    schema: heldCircuitSchema,
    idField: 'id',
    held,
  });
}

/** @throws CoordinatorError `unreadable` */
export function* readRouterConfig(
  answer: unknown,
  held: Pick<PulledConfig, 'publications' | 'keys'>,
): Generator<void, PulledConfig> {
  const what = 'router-config';
  const { revision, models, api_keys } = parseAnswer(routerConfigOutlineSchema, answer, what);
  const publications = yield* readList(models, {
    what,
    field: 'models',
    schema: publicationSchema,
    idField: 'model',
    held: held.publications,
  });
  const keys = yield* readList(api_keys, {
    what,
    field: 'api_keys',
    schema: modelApiKeySchema,
    idField: 'key_id',
    held: held.keys,
  });
  return {
    revision,
    publications: new Map(publications.map((publication) => [publication.model, publication])),
    keys: yield* replaceKeys(held.keys, keys),
  };
}
