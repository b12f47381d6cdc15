import { z } from 'zod';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Query members of a list ordered by id. A cursor is opaque: what the page before answered as `next_cursor`. */
export const pageQueryShape = queryShape(UUID);

/** The same for a list ordered by name. */
export const namePageQueryShape = queryShape(NAME);

export interface PageQuery {
  readonly limit: number;
  /** Position of the last item of the page before. */
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/** Cuts off the row that was read too many and names the place to go on from. */
export function toPage<R, T>(
  rows: readonly R[],
  limit: number,
  position: (row: R) => string,
  view: (row: R) => T,
): Page<T> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items: kept.map(view), next_cursor: more ? encodeCursor(position(last)) : null };
}

/** Condition and bound of one page; works although the row the cursor names may be gone. */
export function pageById({ limit, cursor }: PageQuery) {
  return {
    after: cursor === undefined ? {} : { id: { gt: cursor } },
    take: limit + 1,
  };
}

function queryShape(position: RegExp) {
  return {
    limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
    cursor: z
      .string()
      .max(512)
      .transform((text) => Buffer.from(text, 'base64url').toString('utf8'))
      .pipe(z.string().regex(position, 'This is not a cursor that a list answered.'))
      .optional(),
  };
}

function encodeCursor(position: string): string {
  return Buffer.from(position, 'utf8').toString('base64url');
}
