import { Prisma } from '../../generated/prisma/client.js';

/** A JSONB column tells SQL NULL from the JSON value `null`; absent means SQL NULL here, always. */
export function jsonColumn(value: unknown): Prisma.InputJsonValue | typeof Prisma.DbNull {
  return value == null ? Prisma.DbNull : value;
}

/** Values that crossed a zod schema are JSON by construction; Prisma's type cannot know that. */
export function json(value: unknown): Prisma.InputJsonValue {
  return value as Prisma.InputJsonValue;
}
