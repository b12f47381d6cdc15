import { z } from 'zod';

import { unwrap } from './schema-walk.js';

type AnySchema = z.core.$ZodType;

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
};

/**
 * Gives text from the environment the type its key has: numbers, booleans, comma lists, JSON for the rest.
 * Text that does not fit is returned as it is, so that validation reports it like any other wrong value.
 */
export function coerceText(text: string, schema: AnySchema): unknown {
  if (text === 'null' && z.safeParse(schema, null).success) return null;
  const { core } = unwrap(schema);
  const { def } = (core as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'number':
      return numberOr(text);
    case 'boolean':
      return BOOLEANS[text.trim().toLowerCase()] ?? text;
    case 'array':
      return coerceList(text, def.element);
    case 'union':
      return coerceUnion(text, def.options);
    case 'literal':
      return def.values.find((value) => String(value) === text) ?? text;
    case 'object':
    case 'record':
    case 'tuple':
      return jsonOr(text);
    default:
      return text;
  }
}

function coerceList(text: string, element: AnySchema): unknown {
  if (text.trimStart().startsWith('[')) return jsonOr(text);
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '').map((item) => coerceText(item, element));
}

/** The first form that accepts the text wins. */
function coerceUnion(text: string, options: readonly AnySchema[]): unknown {
  for (const option of options) {
    const value = coerceText(text, option);
    if (z.safeParse(option, value).success) return value;
  }
  return text;
}

function numberOr(text: string): number | string {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) ? value : text;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
