import { parse } from 'yaml';
import { UserError } from '../user-error.js';
import { CONFIGURABLE_SERVICES, type ConfigOverride, type ConfigurableService } from './stack-options.js';

const FORM = '<service>.<key>=<value>, for example router.reconcile_interval_ms=2000';

/** Reads one `--set`. The value is YAML, so numbers, lists and `null` work. The service itself checks the key. */
export function parseOverride(text: string): ConfigOverride {
  const match = /^([a-z]+)\.([a-z0-9_.]+)=(.*)$/s.exec(text);
  const service = CONFIGURABLE_SERVICES.find((name) => name === match?.[1]);
  if (!match?.[2] || !service) {
    throw new UserError(
      `--set ${text}: expected ${FORM}; the service is one of ${CONFIGURABLE_SERVICES.join(', ')}.`,
    );
  }
  return { service, path: match[2].split('.'), value: parse(match[3] ?? '') as unknown };
}

/** The configuration with all overrides of its service. Pure. */
export function withOverrides(
  config: object,
  overrides: ConfigOverride[],
  service: ConfigurableService,
): object {
  return overrides
    .filter((override) => override.service === service)
    .reduce((changed, { path, value }) => assign(changed, path, value), config);
}

function assign(target: object, [key = '', ...rest]: string[], value: unknown): object {
  const inner = (target as Record<string, unknown>)[key];
  const base = typeof inner === 'object' && inner !== null ? inner : {};
  return { ...target, [key]: rest.length === 0 ? value : assign(base, rest, value) };
}
