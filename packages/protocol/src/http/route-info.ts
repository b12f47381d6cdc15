import { z } from 'zod';
import { proxyProtocolSchema, type FrontendMode } from '../enums.js';
import { uuidSchema, wireInt, wireNumber, wirePort } from '../wire/scalars.js';
import { storedText } from '../wire/text.js';
import { wireObject, withoutNulls } from '../wire/wire-object.js';

/** What hardware a replica runs on; additive, informational. */
export const acceleratorsSchema = wireObject({
  model: storedText(255),
  count: wireInt.pipe(z.number().min(0).max(1024)),
});
export type Accelerators = z.output<typeof acceleratorsSchema>;

const ADDITIVE = ['kernel_id', 'accelerators'] as const;

/** One replica of a circuit. `kernel_host` must be there but may be null, which means: dial `localhost`. */
export const routeInfoSchema = wireObject(
  {
    route_id: uuidSchema.nullable().default(null),
    session_id: uuidSchema,
    session_name: z.string().nullable().default(null),
    kernel_host: storedText(1024).nullable(),
    kernel_port: wirePort,
    protocol: proxyProtocolSchema,
    traffic_ratio: wireNumber.default(1),
    replica_group_id: uuidSchema.nullish(),
    kernel_id: uuidSchema.nullish(),
    accelerators: acceleratorsSchema.nullish(),
  },
  { omitNull: [...ADDITIVE, 'replica_group_id'] },
);
export type RouteInfo = z.output<typeof routeInfoSchema>;

/** `replica_group_id` is always written for routers and, as in stock releases, left out when null for the others. */
export function canonicalRoute(route: RouteInfo, mode: FrontendMode): RouteInfo {
  const { replica_group_id = null, kernel_id, accelerators, ...rest } = route;
  const group = mode === 'router' || replica_group_id !== null ? { replica_group_id } : {};
  return withoutNulls({ ...rest, ...group, kernel_id, accelerators }, ADDITIVE);
}
