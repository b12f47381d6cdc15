import { z } from 'zod';

/** PostgreSQL stores neither NUL nor half a character. */
export const keyIdSchema = z
  .string()
  .min(1)
  .max(255)
  .refine((id) => !id.includes('\0') && id.isWellFormed(), 'must be valid Unicode without NUL');

const words: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  false: false,
  '0': false,
  no: false,
};

/** An unreadable `strict` is refused: a caller that asks for proof must not get less without a word. */
export const removalQuerySchema = z.object({
  strict: z.preprocess(
    (text) => (typeof text === 'string' ? (words[text.toLowerCase()] ?? text) : text),
    z.boolean().default(false),
  ),
});
