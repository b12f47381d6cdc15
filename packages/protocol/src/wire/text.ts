import { z } from 'zod';

const UNSTORABLE = 'must be valid Unicode without NUL';
const JSON_DEPTH_MAX = 32;
const JSON_LENGTH_MAX = 64 * 1024;

/** PostgreSQL holds neither NUL nor half a surrogate pair, and a URL cannot carry the latter. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** Text that ends in a database: bounded, in UTF-16 units, and storable. */
export function storedText(max: number, min = 0) {
  return z.string().min(min).max(max).refine(isStorable, UNSTORABLE);
}

/** Name of an authority; unique per coordinator. */
export const authoritySchema = storedText(255, 1);

/** Public name of a model: primary or alias. */
export const modelNameSchema = storedText(255, 1);

/** Id of a model API key as the coordinator knows it. */
export const keyIdSchema = storedText(255, 1);

/** A free-form JSON object whose keys are kept as they are. */
export const jsonObject = z.record(z.string(), z.unknown());

/** The same where it ends in a database: at most 64 Ki characters of JSON, 32 levels, every string storable. */
export const storedJsonObject = jsonObject.superRefine((value, context) => {
  const message = problemWith(value);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

function problemWith(root: unknown): string | null {
  // Level by level and not by recursion: depth is what the caller controls.
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > JSON_DEPTH_MAX) return `must not nest deeper than ${JSON_DEPTH_MAX} levels`;
    if (level.some((node) => typeof node === 'string' && !isStorable(node))) return UNSTORABLE;
    level = level.flatMap(childrenOf);
  }
  return JSON.stringify(root).length > JSON_LENGTH_MAX
    ? `must not exceed ${JSON_LENGTH_MAX} characters`
    : null;
}

function childrenOf(node: unknown): unknown[] {
  if (Array.isArray(node)) return node as unknown[];
  return typeof node === 'object' && node !== null ? Object.entries(node).flat() : [];
}
