import { wireBool } from '@penstock/protocol';
import { z } from 'zod';

/** PostgreSQL stores neither NUL nor half a character. */
export const keyIdSchema = z
  .string()
  .min(1)
  .max(255)
  .refine((id) => !id.includes('\0') && id.isWellFormed(), 'must be valid Unicode without NUL');

/** An unreadable `strict` is refused: a caller that asks for proof must not get less without a word. */
export const removalQuerySchema = z.object({ strict: wireBool.default(false) });
