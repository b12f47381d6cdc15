import { z } from 'zod';

const POLICY_BYTES_MAX = 16 * 1024;

/** Control characters could not be shown, logged or sent as a path; lone surrogates cannot be encoded at all. */
const UNPRINTABLE = /\p{Cc}/u;

/** Longest percent-encoded form, so that a name fits into one path segment of the coordinator. */
const ENCODED_MAX = 1_500;

export function isPrintable(text: string): boolean {
  return text.isWellFormed() && !UNPRINTABLE.test(text);
}

/** A name people give to things: any printable text, not blank. */
export function nameSchema(lengthMax: number) {
  return z
    .string()
    .min(1)
    .max(lengthMax)
    .refine(isPrintable, 'Control characters and broken Unicode are not allowed.')
    .refine((text) => text.trim() !== '', 'A name must have a visible character.');
}

/** A name under which clients call a model. `/`, `%`, spaces and any script are fine; path steps are not. */
export const publicNameSchema = nameSchema(255)
  .refine((text) => text !== '.' && text !== '..', '"." and ".." are steps of a path and cannot be names.')
  .refine(
    (text) => !text.isWellFormed() || encodeURIComponent(text).length <= ENCODED_MAX,
    `The name is too long: percent-encoded it may have ${ENCODED_MAX} characters.`,
  );

/** Text that a list is filtered by: compared and never stored, but the database refuses what it could not store. */
export function filterTextSchema(lengthMax: number) {
  return z
    .string()
    .max(lengthMax)
    .refine(isPrintable, 'Control characters and broken Unicode are not allowed.')
    .optional();
}

/** A free-form JSON object that travels to the routers. */
export const jsonObjectSchema = z
  .record(z.string(), z.json())
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= POLICY_BYTES_MAX, {
    message: `The object may have ${POLICY_BYTES_MAX} bytes as JSON.`,
  })
  .refine(isStorable, 'U+0000 and broken Unicode are not allowed.');

/** PostgreSQL keeps neither U+0000 nor half a surrogate pair inside JSONB, be it in a value or in a member's name. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}

const LAST_WIRE_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** A time as clients write it. An offset may lift it into a year that four digits, and so the wire, cannot write. */
export const instantSchema = z.iso
  .datetime({ offset: true })
  .refine((text) => Date.parse(text) <= LAST_WIRE_INSTANT, 'In UTC this is after the year 9999.');

export const idSchema = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'expected a UUID')
  .transform((id) => id.toLowerCase());

/** Path parameters of a single object. */
export const idParamsSchema = z.object({ id: idSchema });

export const authorityInputSchema = nameSchema(255);
