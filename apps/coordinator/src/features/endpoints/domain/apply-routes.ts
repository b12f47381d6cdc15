import { ROUTES_MAX, WireError, type RouteEntry, type RouteInfo } from '@penstock/protocol';

/** A stored route. The coordinator knows http only, and no session names, for inference. */
export function toRouteInfo(entry: RouteEntry): RouteInfo {
  return {
    route_id: entry.route_id,
    session_id: entry.session_id,
    session_name: null,
    kernel_host: entry.kernel_host,
    kernel_port: entry.kernel_port,
    protocol: 'http',
    traffic_ratio: entry.traffic_ratio,
    replica_group_id: entry.replica_group_id ?? null,
    ...(entry.kernel_id && { kernel_id: entry.kernel_id }),
    ...(entry.accelerators && { accelerators: entry.accelerators }),
  };
}

/** The full table. A route id given twice counts once, with what was said last: a router knows routes by their id. */
export function replaceRoutes(entries: readonly RouteEntry[]): RouteInfo[] {
  return [...new Map(entries.map((entry) => [entry.route_id, toRouteInfo(entry)])).values()];
}

export interface Registration {
  readonly routes: RouteInfo[];
  readonly registered: string[];
  readonly alreadyRegistered: string[];
}

/**
 * Appends what is new; a route that is already there keeps its old content.
 * @throws WireError 400 when that would be more routes than an endpoint may have
 */
export function registerRoutes(current: readonly RouteInfo[], entries: readonly RouteEntry[]): Registration {
  const known = new Set(current.map((route) => route.route_id));
  const asked = replaceRoutes(entries);
  const fresh = asked.filter((route) => !known.has(route.route_id));
  if (current.length + fresh.length > ROUTES_MAX)
    throw WireError.invalidApiParams(`An endpoint has at most ${ROUTES_MAX} routes.`);
  return {
    routes: [...current, ...fresh],
    registered: idsOf(fresh),
    alreadyRegistered: idsOf(asked.filter((route) => known.has(route.route_id))),
  };
}

export interface Removal {
  readonly routes: RouteInfo[];
  readonly unregistered: string[];
  readonly alreadyAbsent: string[];
}

export function unregisterRoutes(current: readonly RouteInfo[], routeIds: readonly string[]): Removal {
  const going = new Set(routeIds);
  const asked = [...going];
  const known = new Set(current.map((route) => route.route_id));
  return {
    routes: current.filter((route) => route.route_id === null || !going.has(route.route_id)),
    unregistered: asked.filter((id) => known.has(id)),
    alreadyAbsent: asked.filter((id) => !known.has(id)),
  };
}

function idsOf(routes: readonly RouteInfo[]): string[] {
  return routes.flatMap((route) => (route.route_id === null ? [] : [route.route_id]));
}
