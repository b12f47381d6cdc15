import type { RouterConfig } from './router.config.js';

/**
 * Settings that take effect when the configuration is read again. Everything else names what a process is or is
 * bound to at its start, and needs a restart.
 */
const RELOADABLE = [
  'log_level',
  'heartbeat_period_ms',
  'reconcile_interval_ms',
  'coordinator.request_timeout_ms',
  'coordinator.backoff_min_ms',
  'coordinator.backoff_max_ms',
  'coordinator.refused_retry_ms',
  'allow_unrestricted_keys',
  'hide_ungranted_models',
  'trusted_proxies',
  'cors',
  'retry',
  'timeouts.headers_ms',
  'timeouts.stream_headers_ms',
  'timeouts.idle_ms',
  'timeouts.request_ms',
  'drain_timeout_ms',
  'drain_readiness_lead_ms',
] as const;

type Leaves = ReadonlyMap<string, unknown>;

/** What a newly read configuration changes. Keys only: values may be secret. */
export interface ConfigChange {
  /** The configuration in effect from now on. */
  readonly effective: RouterConfig;
  readonly applied: readonly string[];
  readonly needRestart: readonly string[];
}

/** Takes the reloadable settings from `next` and keeps the rest as the process was started with. */
export function mergeReloadable(running: RouterConfig, next: RouterConfig): ConfigChange {
  const before = leavesOf(running);
  const after = leavesOf(next);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => JSON.stringify(before.get(path)) !== JSON.stringify(after.get(path)),
  );
  const applied = changed.filter(isReloadable);
  const effective = structuredClone(running);
  for (const path of applied) assignAt(effective, path.split('.'), after.get(path));
  return { effective, applied, needRestart: changed.filter((path) => !isReloadable(path)) };
}

function isReloadable(path: string): boolean {
  return RELOADABLE.some((prefix) => path === prefix || path.startsWith(`${prefix}.`));
}

function leavesOf(value: object, prefix = ''): Leaves {
  return new Map(
    Object.entries(value).flatMap(([key, child]: [string, unknown]): [string, unknown][] =>
      isGroup(child) ? [...leavesOf(child, `${prefix}${key}.`)] : [[prefix + key, child]],
    ),
  );
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function assignAt(target: object, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  const holder = target as Record<string, unknown>;
  if (rest.length === 0) holder[key] = value;
  else assignAt(holder[key] as object, rest, value);
}
