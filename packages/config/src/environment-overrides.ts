import { coerceText } from './coerce.js';
import type { Environment } from './interpolate.js';
import { nearestName } from './nearest-name.js';
import { type PlainObject, setAt } from './plain-object.js';
import { readSecretFile } from './read-secret-file.js';
import type { ConfigLeaf } from './schema-walk.js';

const FILE_SUFFIX = '_FILE';

/** `PENSTOCK_ROUTER_`: every variable with it must name a key of that service. */
export function environmentPrefix(service: string): string {
  return `PENSTOCK_${service.replaceAll('-', '_').toUpperCase()}_`;
}

/** The variable that overrides one key: `PENSTOCK_ROUTER_COORDINATOR_URL` for `coordinator.url`. */
export function environmentName(service: string, path: readonly string[]): string {
  return environmentPrefix(service) + path.join('_').toUpperCase();
}

export interface OverrideContext {
  readonly service: string;
  readonly leaves: readonly ConfigLeaf[];
  readonly env: Environment;
  readonly problems: string[];
  /** Collects the keys whose reference failed: they are not missing as well. */
  readonly unresolved: Set<string>;
}

/** Writes the values of `PENSTOCK_<SERVICE>_*` variables over those of the file. An empty variable counts as unset. */
export function applyEnvironment(values: PlainObject, context: OverrideContext): void {
  const byName = new Map(context.leaves.map((leaf) => [environmentName(context.service, leaf.path), leaf]));
  for (const [name, text] of Object.entries(context.env)) {
    if (!name.startsWith(environmentPrefix(context.service)) || text === undefined || text === '') continue;
    const override = readOverride(name, text, byName, context);
    if (override !== undefined)
      setAt(values, override.leaf.path, coerceText(override.text, override.leaf.schema));
  }
}

interface Override {
  readonly leaf: ConfigLeaf;
  readonly text: string;
}

function readOverride(
  name: string,
  text: string,
  byName: ReadonlyMap<string, ConfigLeaf>,
  context: OverrideContext,
): Override | undefined {
  const leaf = byName.get(name);
  if (leaf !== undefined) return { leaf, text };
  const target = name.endsWith(FILE_SUFFIX) ? byName.get(name.slice(0, -FILE_SUFFIX.length)) : undefined;
  if (target === undefined) {
    const nearest = nearestName(name, byName.keys());
    const hint = nearest === undefined ? 'unset it' : `did you mean ${nearest}?`;
    context.problems.push(`environment: ${name} is not a known variable; ${hint}`);
    return undefined;
  }
  const read = readSecretFile(text);
  if (read.ok) return { leaf: target, text: read.text };
  context.unresolved.add(target.path.join('.'));
  context.problems.push(`environment: ${name} names a file that is of no use: ${read.problem}`);
  return undefined;
}
