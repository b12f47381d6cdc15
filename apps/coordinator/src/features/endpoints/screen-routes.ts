import { bulkDeleteRequestSchema, type BulkRoutesRequest, type RoutesItem } from '@penstock/protocol';
import type { z } from 'zod';

import { parseWire, refuse } from '../../wire/parse-wire.js';

export type ScreenedItem =
  | { readonly kind: 'accepted'; readonly item: RoutesItem }
  | { readonly kind: 'refused'; readonly deploymentId: string; readonly error: string };

/**
 * A port outside 1..65535 fails its own item and not the call; peers rely on that. Any other mistake in the body is the
 * caller's to mend before anything happens.
 * @throws WireError 400
 */
export function screenRoutes(schema: z.ZodType<BulkRoutesRequest>, body: unknown): ScreenedItem[] {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data.endpoints.map((item) => ({ kind: 'accepted', item }));
  const badPorts = itemsWithBadPorts(parsed.error);
  if (badPorts === null) throw refuse(parsed.error);
  const sound = parseWire(schema, {
    endpoints: rawItems(body).filter((_item, index) => !badPorts.has(index)),
  });
  const accepted = sound.endpoints.values();
  // The ids of all items, with the aliases older managers use; a body of this shape always has them.
  return parseWire(bulkDeleteRequestSchema, body).endpoints.map(({ deployment_id }, index): ScreenedItem => {
    const error = badPorts.get(index);
    if (error !== undefined) return { kind: 'refused', deploymentId: deployment_id, error };
    const { value: item } = accepted.next();
    return item
      ? { kind: 'accepted', item }
      : { kind: 'refused', deploymentId: deployment_id, error: 'Validation error' };
  });
}

/** Item number -> what is wrong with it; null when something else than a port is wrong. */
function itemsWithBadPorts(error: z.ZodError): Map<number, string> | null {
  const found = new Map<number, string>();
  for (const { path, message } of error.issues) {
    const [list, index, ...rest] = path;
    if (list !== 'endpoints' || typeof index !== 'number' || rest.at(-1) !== 'kernel_port') return null;
    found.set(index, `Validation error: ${rest.map(String).join('.')}: ${message}`);
  }
  return found;
}

function rawItems(body: unknown): unknown[] {
  const { endpoints } = body as { readonly endpoints: unknown[] };
  return endpoints;
}
