import type { z } from 'zod';

import { isSecret } from './secret.js';

type AnySchema = z.core.$ZodType;

/** One value an operator can set: everything that is not itself an object of further keys. */
export interface ConfigLeaf {
  readonly path: readonly string[];
  readonly schema: AnySchema;
  readonly secret: boolean;
  readonly description: string | undefined;
}

/** A schema without the layers that only say what happens when the value is absent, and what those layers said. */
interface Unwrapped {
  readonly core: AnySchema;
  readonly secret: boolean;
  readonly description: string | undefined;
}

/** All leaves in the order of the schema. An optional or nullable object counts as its keys. */
export function leavesOf(schema: AnySchema, path: readonly string[] = []): ConfigLeaf[] {
  const shape = shapeOf(schema);
  if (shape !== undefined) {
    return Object.entries(shape).flatMap(([key, child]) => leavesOf(child, [...path, key]));
  }
  const { secret, description } = unwrap(schema);
  return [{ path, schema, secret, description }];
}

/** The keys of an object schema, or undefined when it is not one. In a union of objects all their keys count. */
export function shapeOf(schema: AnySchema): Record<string, AnySchema> | undefined {
  const { core } = unwrap(schema);
  const { def } = (core as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return { ...def.shape };
  if (def.type !== 'union') return undefined;
  const shapes = def.options.map(shapeOf).filter((shape) => shape !== undefined);
  return shapes.length === 0 ? undefined : (Object.assign({}, ...shapes) as Record<string, AnySchema>);
}

/** Goes through optional, nullable, default, readonly, catch and the input side of a transform. */
export function unwrap(schema: AnySchema): Unwrapped {
  let core = schema;
  let secret = false;
  let description: string | undefined;
  for (;;) {
    secret ||= isSecret(core);
    description ??= (core as { description?: string }).description;
    const inner = innerOf(core);
    if (inner === undefined) return { core, secret, description };
    core = inner;
  }
}

function innerOf(schema: AnySchema): AnySchema | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return def.innerType;
    case 'pipe':
      // `preprocess` is a pipe out of a transform: its target tells what may be written.
      return isTransform(def.in) ? def.out : def.in;
    case 'lazy':
      return def.getter();
    default:
      return undefined;
  }
}

function isTransform(schema: AnySchema): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type === 'transform';
}
