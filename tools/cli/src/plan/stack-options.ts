/** What `up` was asked for. Everything a plan follows from, next to credentials and ports. */
export interface StackOptions {
  dataDir: string;
  demo: boolean;
  /** Frontend mode of the routers. */
  mode: RouterMode;
  /** Names of deployments are labels under this domain; null in router mode. Starts with a dot. */
  wildcardDomain: string | null;
  /** Whether the routers open their internal listeners. */
  internal: boolean;
  /** Processes per router instance. */
  workers: number;
  routers: number;
  coordinators: number;
  ports: 'fixed' | 'auto';
  /** First port of a kind, by the kind's name, where the user chose one. */
  chosenPorts: Partial<Record<PortKind, number>>;
  authority: string;
  logLevel: LogLevel;
  overrides: ConfigOverride[];
}

export const ROUTER_MODES = ['router', 'wildcard'] as const;
export type RouterMode = (typeof ROUTER_MODES)[number];

/** Names of internal deployments are labels under this domain. */
export const INTERNAL_DOMAIN = '.internal.localhost';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `--set router.reconcile_interval_ms=2000`: one value of one service's configuration file. */
export interface ConfigOverride {
  service: ConfigurableService;
  path: string[];
  value: unknown;
}

export const CONFIGURABLE_SERVICES = ['coordinator', 'manager', 'router'] as const;
export type ConfigurableService = (typeof CONFIGURABLE_SERVICES)[number];

export const PORT_KINDS = [
  'postgres',
  'redis',
  'coordinator',
  'manager',
  'router',
  'router-admin',
  'router-internal',
  'replica',
  'replica-admin',
] as const;
export type PortKind = (typeof PORT_KINDS)[number];
