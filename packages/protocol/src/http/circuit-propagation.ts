import { z } from 'zod';
import { wireBool, wireInt } from '../wire/scalars.js';
import { wireObject } from '../wire/wire-object.js';

/**
 * Asks the bulk calls of endpoints and routes for `propagation` in each outcome, as `?propagation=true`. Additive: an
 * answer nobody asked for would differ from what peers of other makes know.
 */
export const propagationQuerySchema = z.object({ propagation: wireBool.default(false) });

/**
 * Why nobody said yet that a change of a circuit arrived: nobody is there to say it; nobody could be told; nobody
 * answered in time; or nobody answers this kind of change.
 */
const reasonSchema = z.enum(['no_live_node', 'bus_unavailable', 'awaiting_ack', 'announced']);

/**
 * How far a change of one circuit had got when its call returned. `applied` = a router acknowledged it. `deferred` =
 * committed, and the next pull of each router carries it at the latest. `unchanged` = it was like that before.
 */
export const circuitPropagationSchema = wireObject(
  {
    status: z.enum(['applied', 'deferred', 'unchanged']),
    /** Only with `deferred`. A reason added later must not make an answer unreadable. */
    reason: reasonSchema.nullish().catch(null),
    waited_ms: wireInt,
  },
  { omitNull: ['reason'] },
);
export type CircuitPropagation = z.output<typeof circuitPropagationSchema>;
