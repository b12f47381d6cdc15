import { DEMO_REPLICA_COUNT } from './demo-deployments.js';
import type { PortKind, StackOptions } from './stack-options.js';

/** Ports of one kind: `groups` of `size` neighbours, the groups `stride` apart when ports are fixed. */
export interface PortNeed {
  kind: PortKind;
  title: string;
  flag: string;
  first: number;
  groups: number;
  size: number;
  stride: number;
}

/** First port of every group, by kind. */
export type PortMap = Record<PortKind, number[]>;

const ROUTER_ADMIN_STRIDE = 10;

const TITLES: Record<PortKind, string> = {
  postgres: 'PostgreSQL',
  redis: 'Redis',
  coordinator: 'the coordinator',
  manager: 'the manager',
  router: 'the router',
  'router-admin': "the router's admin listener",
  'router-internal': "the router's internal listener",
  replica: 'a simulated replica',
  'replica-admin': "a simulated replica's admin listener",
};

/** The documented defaults. */
export const DEFAULT_PORTS: Record<PortKind, number> = {
  postgres: 10432,
  redis: 10479,
  coordinator: 10200,
  manager: 10300,
  router: 10400,
  'router-admin': 10410,
  'router-internal': 10440,
  replica: 10500,
  'replica-admin': 10550,
};

/** Every port a stack listens on, in start order. Pure. */
export function portNeeds(options: StackOptions): PortNeed[] {
  const replicas = options.demo ? DEMO_REPLICA_COUNT : 0;
  const stride = Math.max(ROUTER_ADMIN_STRIDE, options.workers);
  return [
    need(options, 'postgres', 1),
    need(options, 'redis', 1),
    need(options, 'coordinator', options.coordinators),
    need(options, 'manager', 1),
    need(options, 'router', options.routers),
    { ...need(options, 'router-admin', options.routers), size: options.workers, stride },
    need(options, 'router-internal', options.internal ? options.routers : 0),
    need(options, 'replica', replicas),
    need(options, 'replica-admin', replicas),
  ];
}

function need(options: StackOptions, kind: PortKind, groups: number): PortNeed {
  const first = options.chosenPorts[kind] ?? DEFAULT_PORTS[kind];
  return { kind, title: TITLES[kind], flag: `--${kind}-port`, first, groups, size: 1, stride: 1 };
}

/** The fixed first port of every group. */
export function fixedGroups(need: PortNeed): number[] {
  return Array.from({ length: need.groups }, (_, index) => need.first + index * need.stride);
}

/** All ports of the groups. */
export function portsOf(need: PortNeed, groups: number[]): number[] {
  return groups.flatMap((first) => Array.from({ length: need.size }, (_, index) => first + index));
}
