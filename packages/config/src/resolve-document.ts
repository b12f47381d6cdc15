import { dirname, resolve } from 'node:path';

import type { z } from 'zod';

import { coerceText } from './coerce.js';
import { type Environment, interpolate } from './interpolate.js';
import { didYouMean } from './nearest-name.js';
import { isPlainObject, type PlainObject } from './plain-object.js';
import type { ConfigDocument } from './read-document.js';
import { readSecretFile } from './read-secret-file.js';
import { shapeOf } from './schema-walk.js';

type AnySchema = z.core.$ZodType;

export interface ResolveContext {
  readonly document: ConfigDocument;
  /** Relative paths in `_file` keys start at its folder. */
  readonly file: string | null;
  readonly env: Environment;
  /** Collects what is wrong. */
  readonly problems: string[];
  /** Collects the keys whose reference failed: they are not missing as well. */
  readonly unresolved: Set<string>;
}

const FILE_SUFFIX = '_file';

/** Checks the file's keys against the schema and replaces `${NAME}` and `_file` references by what they stand for. */
export function resolveDocument(schema: AnySchema, context: ResolveContext): PlainObject {
  return resolveObject(context.document.values, shapeOf(schema) ?? {}, [], context);
}

function resolveObject(
  values: PlainObject,
  shape: Record<string, AnySchema>,
  path: readonly string[],
  context: ResolveContext,
): PlainObject {
  const resolved: PlainObject = {};
  for (const [key, value] of Object.entries(values)) {
    const child = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (child !== undefined) resolved[key] = resolveValue(value, child, [...path, key], context);
    else resolveExtraKey({ key, value, values, shape, path, resolved, context });
  }
  return resolved;
}

interface ExtraKey {
  readonly key: string;
  readonly value: unknown;
  readonly values: PlainObject;
  readonly shape: Record<string, AnySchema>;
  readonly path: readonly string[];
  readonly resolved: PlainObject;
  readonly context: ResolveContext;
}

/** A key the schema does not have: a reference to a file, or a mistake. */
function resolveExtraKey({ key, value, values, shape, path, resolved, context }: ExtraKey): void {
  const where = context.document.locate([...path, key]);
  const name = [...path, key].join('.');
  const target = key.endsWith(FILE_SUFFIX) ? key.slice(0, -FILE_SUFFIX.length) : '';
  const schema = Object.hasOwn(shape, target) ? shape[target] : undefined;
  if (schema === undefined || shapeOf(schema) !== undefined) {
    context.problems.push(
      `${where}: "${name}" is not a known key${didYouMean(key, Object.keys(shape)) || '; remove it'}`,
    );
  } else if (Object.hasOwn(values, target)) {
    context.problems.push(`${where}: give either "${target}" or "${key}", not both`);
  } else {
    const text = readReference(value, name, where, context);
    if (text === undefined) context.unresolved.add([...path, target].join('.'));
    else resolved[target] = coerceText(text, schema);
  }
}

function readReference(
  value: unknown,
  name: string,
  where: string,
  context: ResolveContext,
): string | undefined {
  if (typeof value !== 'string' || value === '') {
    context.problems.push(`${where}: "${name}" must be the path of a file`);
    return undefined;
  }
  const path = resolveText(value, name, where, context);
  if (path === undefined) return undefined;
  const read = readSecretFile(context.file === null ? path : resolve(dirname(context.file), path));
  if (read.ok) return read.text;
  context.problems.push(`${where}: "${name}" names a file that is of no use: ${read.problem}`);
  return undefined;
}

function resolveValue(
  value: unknown,
  schema: AnySchema,
  path: readonly string[],
  context: ResolveContext,
): unknown {
  const shape = shapeOf(schema);
  if (shape !== undefined && isPlainObject(value)) return resolveObject(value, shape, path, context);
  if (typeof value === 'string') {
    const text = resolveText(value, path.join('.'), context.document.locate(path), context);
    return text === undefined || text === value ? value : coerceText(text, schema);
  }
  return resolveInside(value, path, context);
}

/** Lists and free-form maps: their strings may hold references too, but stay strings. */
function resolveInside(value: unknown, path: readonly string[], context: ResolveContext): unknown {
  if (typeof value === 'string') {
    return resolveText(value, path.join('.'), context.document.locate(path), context) ?? value;
  }
  if (Array.isArray(value))
    return value.map((item, index) => resolveInside(item, [...path, String(index)], context));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolveInside(item, [...path, key], context)]),
  );
}

function resolveText(text: string, name: string, where: string, context: ResolveContext): string | undefined {
  const { text: replaced, missing } = interpolate(text, context.env);
  for (const variable of missing) context.problems.push(unsetVariable(where, name, variable));
  return missing.length > 0 ? undefined : replaced;
}

function unsetVariable(where: string, name: string, variable: string): string {
  if (variable.startsWith('$')) {
    return `${where}: "${name}" holds ${variable}, which is no reference; write \${NAME} or \${NAME:-default}, or $\${ for a literal \${`;
  }
  return `${where}: "${name}" uses \${${variable}}, which is not set; set it, or write \${${variable}:-default}`;
}
