import { Prisma } from '../generated/prisma/client.js';

/** A JSON value for a column that may not be null. */
export function jsonColumn(value: unknown): Prisma.InputJsonValue {
  return value as Prisma.InputJsonValue;
}

/** A JSON value or SQL NULL; a JSON null would be a third state nobody asked for. */
export function nullableJsonColumn(value: unknown): Prisma.InputJsonValue | typeof Prisma.DbNull {
  return value === null || value === undefined ? Prisma.DbNull : jsonColumn(value);
}
