import { z } from 'zod';
import { circuitSchema } from '../http/circuit.js';
import { publicationSchema } from '../http/publication.js';
import { canonicalRoute, routeInfoSchema } from '../http/route-info.js';
import { revisionSchema } from '../wire/scalars.js';
import { authoritySchema } from '../wire/text.js';
import { wireObject } from '../wire/wire-object.js';
import { EVENT_NAMES, type AppProxyEvent } from './event.js';

/** How one event is read: field names of its tuple, and the schema both of its bodies end in. */
interface EventReader {
  /** Names of the tuple's elements after the authority, one list per accepted length; `json` elements hold JSON text. */
  readonly tuples: readonly (readonly { readonly field: string; readonly json?: true }[])[];
  parse(body: unknown): AppProxyEvent;
}

const authorityAliases = { aliases: { authority: ['target-worker-authority', 'target_worker_authority'] } };
const revision = revisionSchema.nullish().transform((value) => value ?? undefined);

function body<Shape extends z.ZodRawShape>(shape: Shape) {
  return wireObject({ authority: authoritySchema, ...shape }, authorityAliases);
}

const circuitListBody = body({ circuits: z.array(circuitSchema) });
const routeUpdateBody = body({ circuit: circuitSchema, routes: z.array(routeInfoSchema) });
const modelUpdateBody = body({ model: publicationSchema, revision });
const modelRemovalBody = body({ model_name: z.string().min(1), revision });
const keyBody = body({ key_id: z.string().min(1), revision });
const ackBody = body({
  node_id: z.string().min(1).nullable().default(null),
  kind: z.enum(['model_updated', 'model_removed', 'key_updated', 'key_removed', 'model', 'key']),
  id: z.string().min(1),
  revision,
});

const circuitsTuple = [[{ field: 'circuits', json: true }]] as const;
const keyTuple = [[{ field: 'key_id' }]] as const;
const ackTuple = [{ field: 'kind' }, { field: 'id' }] as const;

/** Event name -> its reader. Names that are not here are other peers' business. */
export const EVENT_READERS: ReadonlyMap<string, EventReader> = new Map<string, EventReader>([
  reader(EVENT_NAMES.circuitCreated, circuitsTuple, (name, value) => ({
    name,
    ...circuitListBody.parse(value),
  })),
  reader(EVENT_NAMES.circuitRemoved, circuitsTuple, (name, value) => ({
    name,
    ...circuitListBody.parse(value),
  })),
  reader(EVENT_NAMES.workerCircuitAdded, circuitsTuple, (name, value) => ({
    name,
    ...circuitListBody.parse(value),
  })),
  reader(
    EVENT_NAMES.circuitRouteUpdated,
    [
      [
        { field: 'circuit', json: true },
        { field: 'routes', json: true },
      ],
    ],
    (name, value) => {
      const { authority, circuit, routes } = routeUpdateBody.parse(value);
      return {
        name,
        authority,
        circuit,
        routes: routes.map((route) => canonicalRoute(route, circuit.frontend_mode)),
      };
    },
  ),
  reader(EVENT_NAMES.routerModelUpdated, [[{ field: 'model', json: true }]], (name, value) => ({
    name,
    ...modelUpdateBody.parse(value),
  })),
  reader(EVENT_NAMES.routerModelRemoved, [[{ field: 'model_name' }]], (name, value) => ({
    name,
    ...modelRemovalBody.parse(value),
  })),
  reader(EVENT_NAMES.routerKeyUpdated, keyTuple, (name, value) => ({ name, ...keyBody.parse(value) })),
  reader(EVENT_NAMES.routerKeyRemoved, keyTuple, (name, value) => ({ name, ...keyBody.parse(value) })),
  reader(EVENT_NAMES.routerConfigApplied, [[{ field: 'node_id' }, ...ackTuple], ackTuple], (name, value) => ({
    name,
    ...ackBody.parse(value),
  })),
]);

function reader<Name extends AppProxyEvent['name']>(
  name: Name,
  tuples: EventReader['tuples'],
  parse: (name: Name, body: unknown) => AppProxyEvent,
): readonly [string, EventReader] {
  return [name, { tuples, parse: (value) => parse(name, value) }];
}
