import { z } from 'zod';

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;
const NUMERIC = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
const CANONICAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const ZONED_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/i;
const TRUE = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const FALSE = new Set(['false', '0', 'no', 'off', 'f', 'n']);

function fromNumericText(input: unknown): unknown {
  return typeof input === 'string' && NUMERIC.test(input) ? Number(input) : input;
}

function fromBooleanText(input: unknown): unknown {
  if (input === 0 || input === 1) return input === 1;
  if (typeof input !== 'string') return input;
  const word = input.trim().toLowerCase();
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : input;
}

/** The wire form of an instant: UTC, and no fraction when it is zero, as the Python peers print it. */
export function toWireTimestamp(instant: Date): string {
  const iso = instant.toISOString();
  return iso.endsWith('.000Z') ? `${iso.slice(0, -5)}Z` : `${iso.slice(0, -1)}000Z`;
}

/**
 * A string that is canonical already stays as it is: a Date would lose its microseconds, and acks echo what came.
 * What is no instant becomes a text that the pattern after this step refuses.
 */
function readTimestamp(input: unknown): unknown {
  const value = fromNumericText(input);
  if (typeof value !== 'string' && typeof value !== 'number') return input;
  if (typeof value === 'string' && !ZONED_TIME.test(value)) return 'not a time';
  const instant = new Date(typeof value === 'number' ? value * 1000 : value.replace(' ', 'T'));
  // Before 1970 there were no keys to expire, and databases differ on what the year 0 is.
  if (!(instant.getTime() >= 0)) return 'not a time';
  return typeof value === 'string' && CANONICAL_TIME.test(value) ? value : toWireTimestamp(instant);
}

/** Lower-case and hyphenated out; upper case and bare hex digits in. */
export const uuidSchema = z
  .string()
  .regex(UUID, 'expected a UUID')
  .transform((text) => text.toLowerCase().replace(UUID, '$1-$2-$3-$4-$5'));

/** Finite; numbers in strings are read, as every peer does. */
export const wireNumber = z.preprocess(fromNumericText, z.number());

/** Whole number; `"8080"` is read as 8080. */
export const wireInt = z.preprocess(fromNumericText, z.int());

/** TCP port, 1..65535. */
export const wirePort = z.preprocess(fromNumericText, z.int().min(1).max(65535));

/** Relative weight or duration: at least 0, and small enough that sums of many stay finite. */
export const wireWeight = z.preprocess(fromNumericText, z.number().min(0).max(1e12));

/** Accepts the words and digits that query strings use for booleans. */
export const wireBool = z.preprocess(fromBooleanText, z.boolean());

/** RFC 3339 with zone or UNIX seconds in; RFC 3339 in UTC out. */
export const timestampSchema = z.preprocess(
  readTimestamp,
  z.string().regex(CANONICAL_TIME, 'expected an RFC 3339 time with zone or UNIX seconds'),
);

/** Opaque to readers: string or number in, string out, echoed verbatim. */
export const revisionSchema = z.preprocess(
  (input) => (typeof input === 'number' || typeof input === 'bigint' ? String(input) : input),
  z.string().min(1).max(64),
);
