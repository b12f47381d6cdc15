import { ROUTES_MAX, type RouteEntry } from '@penstock/protocol';
import { describe, expect, it } from '@jest/globals';

import { registerRoutes, replaceRoutes, unregisterRoutes } from './apply-routes.js';

function entry(route: string, port = 30_000): RouteEntry {
  return {
    route_id: route,
    session_id: `session-of-${route}`,
    kernel_host: '10.0.0.1',
    kernel_port: port,
    traffic_ratio: 1,
  };
}

describe('routes of an endpoint', () => {
  it('stores what routers need and nothing they do not', () => {
    expect(replaceRoutes([entry('r1')])).toEqual([
      {
        route_id: 'r1',
        session_id: 'session-of-r1',
        session_name: null,
        kernel_host: '10.0.0.1',
        kernel_port: 30_000,
        protocol: 'http',
        traffic_ratio: 1,
        replica_group_id: null,
      },
    ]);
  });

  it('counts a route id given twice once, with the last word', () => {
    expect(replaceRoutes([entry('r1', 1), entry('r1', 2)]).map((route) => route.kernel_port)).toEqual([2]);
  });

  it('registers only what is new', () => {
    const current = replaceRoutes([entry('r1', 1)]);
    const { routes, registered, alreadyRegistered } = registerRoutes(current, [entry('r1', 9), entry('r2')]);
    expect({ registered, alreadyRegistered }).toEqual({ registered: ['r2'], alreadyRegistered: ['r1'] });
    expect(routes.map((route) => [route.route_id, route.kernel_port])).toEqual([
      ['r1', 1],
      ['r2', 30_000],
    ]);
  });

  it('registers no more than an endpoint may have, however many calls it takes', () => {
    const full = replaceRoutes(Array.from({ length: ROUTES_MAX }, (_none, n) => entry(`r${n}`)));
    expect(registerRoutes(full, [entry('r1')]).routes).toHaveLength(ROUTES_MAX);
    expect(() => registerRoutes(full, [entry('one-more')])).toThrow('at most 10000 routes');
  });

  it('unregisters what is there and tells what was not', () => {
    const { routes, unregistered, alreadyAbsent } = unregisterRoutes(
      replaceRoutes([entry('r1'), entry('r2')]),
      ['r1', 'r4'],
    );
    expect({ unregistered, alreadyAbsent }).toEqual({ unregistered: ['r1'], alreadyAbsent: ['r4'] });
    expect(routes.map((route) => route.route_id)).toEqual(['r2']);
  });
});
