import {
  decodeEnvelope,
  encodeEnvelope,
  type EnvelopeMode,
  EVENT_NAMES,
  EVENT_SOURCES,
} from '@penstock/protocol';
import type { Bus } from '../checking/bus.js';
import type { JsonObject } from '../checking/json.js';

/** Tells a worker about new circuits. */
export function publishCreated(
  bus: Bus,
  authority: string,
  circuits: readonly JsonObject[],
  mode: EnvelopeMode = 'dual',
): Promise<void> {
  const payload = { target_worker_authority: authority, circuits: [...circuits] };
  return bus.publish(envelope(EVENT_NAMES.circuitCreated, payload, mode));
}

/** Replaces the routes of a circuit. */
export function publishRoutes(
  bus: Bus,
  authority: string,
  circuit: JsonObject,
  routes: readonly JsonObject[],
): Promise<void> {
  const payload = {
    target_worker_authority: authority,
    circuit: { ...circuit, route_info: [...routes] },
    routes: [...routes],
  };
  return bus.publish(envelope(EVENT_NAMES.circuitRouteUpdated, payload, 'dual'));
}

/** Tells a worker that circuits are gone. */
export function publishRemoved(bus: Bus, authority: string, circuits: readonly JsonObject[]): Promise<void> {
  const payload = { target_worker_authority: authority, circuits: [...circuits] };
  return bus.publish(envelope(EVENT_NAMES.circuitRemoved, payload, 'dual'));
}

/** Any event, in a given form of the envelope. @throws Error when the fields are not those of the event. */
export function envelope(name: string, payload: JsonObject, mode: EnvelopeMode): string {
  const metadata = '{"request_id":null,"user":null}';
  const source = EVENT_SOURCES.coordinator;
  const decoded = decodeEnvelope(
    JSON.stringify({ name, source, payload: JSON.stringify(payload), metadata }),
  );
  if (!decoded.ok) throw new Error(`no event: ${decoded.reason}`);
  return encodeEnvelope(decoded.event, { source, mode });
}
