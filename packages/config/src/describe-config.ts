import { z } from 'zod';

import { environmentName } from './environment-overrides.js';
import { valueAt } from './plain-object.js';
import { type ConfigLeaf, leavesOf, shapeOf } from './schema-walk.js';

/** One row of a service's configuration page. */
export interface ConfigRow {
  /** Dotted key as in the file: `coordinator.url`. */
  readonly key: string;
  readonly type: string;
  /** JSON of the default, `required` when there is none, `optional` when the key may be left out. */
  readonly default: string;
  readonly secret: boolean;
  readonly description: string;
}

/** Every key of a service's schema, in order, with what an operator needs to know about it. Secrets are masked. */
export function describeConfig(schema: z.ZodType): ConfigRow[] {
  return leavesOf(schema).map((leaf) => ({
    key: leaf.path.join('.'),
    type: typeWords(leaf),
    default: defaultWords(schema, leaf),
    secret: leaf.secret,
    description: leaf.description ?? '',
  }));
}

/** The rows as a Markdown table, for `docs/services/<service>/configuration.md`. */
export function renderConfigTable(service: string, schema: z.ZodType): string {
  const rows = describeConfig(schema).map((row) => {
    const name = environmentName(service, row.key.split('.'));
    return [`\`${row.key}\``, row.type, defaultCell(row), row.description, `\`${name}\``];
  });
  const table = [
    ['Key', 'Type', 'Default', 'Meaning', 'Variable'],
    ['---', '---', '---', '---', '---'],
    ...rows,
  ];
  return `${table.map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`).join('\n')}\n`;
}

function defaultCell(row: ConfigRow): string {
  return row.default === 'required' || row.default === 'optional' ? row.default : `\`${row.default}\``;
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

function typeWords(leaf: ConfigLeaf): string {
  const words = jsonSchemaWords(
    z.toJSONSchema(leaf.schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema,
  );
  return leaf.secret ? `secret ${words}` : words;
}

function jsonSchemaWords(schema: JsonSchema): string {
  if (schema.anyOf) return schema.anyOf.map(jsonSchemaWords).join(' or ');
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.type === 'array') return `list of ${jsonSchemaWords(schema.items ?? {})}`;
  const type = typeof schema.type === 'string' ? schema.type : 'any';
  return `${schema.format ?? type}${rangeWords(schema)}`;
}

/** JavaScript's own limits are not worth telling. */
function rangeWords({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  const low = minimum === Number.MIN_SAFE_INTEGER ? undefined : (minimum ?? exclusiveMinimum);
  const high = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (low === undefined && high === undefined) return '';
  if (high === undefined) return exclusiveMinimum === undefined ? ` ≥ ${low}` : ` > ${low}`;
  return ` ${low ?? '…'}..${high}`;
}

const MASK = '********';

/** Defaults may sit on the leaf or on a group around it; the schemas themselves say what an absent key becomes. */
function defaultWords(schema: z.ZodType, leaf: ConfigLeaf): string {
  for (const { inner, rest } of outward(schema, leaf.path)) {
    const parsed = z.safeParse(inner, undefined);
    if (!parsed.success) continue;
    const value = valueAt(parsed.data, rest);
    if (value === undefined) return 'optional';
    return leaf.secret ? MASK : JSON.stringify(value);
  }
  return 'required';
}

/** The leaf's schema, then the groups around it, each with the way from it to the leaf. */
function outward(
  root: z.core.$ZodType,
  path: readonly string[],
): { inner: z.core.$ZodType; rest: string[] }[] {
  const steps = [{ inner: root, rest: [...path] }];
  for (const [index, key] of path.entries()) {
    const inner = shapeOf(steps[index]?.inner ?? root)?.[key];
    if (inner !== undefined) steps.push({ inner, rest: path.slice(index + 1) });
  }
  return steps.reverse();
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
