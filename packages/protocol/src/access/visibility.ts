import { z } from 'zod';

/** Who may meet a circuit at all: `internal` ones exist on cluster-private listeners only. */
export const visibilitySchema = z.preprocess(
  (input) => (typeof input === 'string' ? input.toLowerCase() : input),
  z.enum(['public', 'internal']),
);
export type Visibility = z.output<typeof visibilitySchema>;

/** What a caller wrote about access, in the old spelling, the new one or both. Null counts as not written. */
export interface AccessWish {
  readonly open_to_public?: boolean | null | undefined;
  readonly visibility?: string | null | undefined;
  readonly requires_token?: boolean | null | undefined;
}

/** Who may reach a circuit, and whether with a token only. */
export interface CircuitAccess {
  readonly visibility: Visibility;
  readonly requires_token: boolean;
}

export type ResolvedAccess =
  | (CircuitAccess & {
      readonly ok: true;
      /** The old flag was used. */
      readonly deprecated: boolean;
    })
  | { readonly ok: false; readonly reason: string };

/**
 * The meaning of the old flag and the new fields together. What is written in the new fields wins; `open_to_public`
 * fills what they leave open; open and internal at once is a contradiction, because the flag implies `public`.
 */
export function resolveVisibility({
  open_to_public,
  visibility,
  requires_token,
}: AccessWish): ResolvedAccess {
  const wanted = visibilitySchema.safeParse(visibility ?? 'public');
  if (!wanted.success) return { ok: false, reason: 'visibility must be public or internal' };
  if (open_to_public === true && wanted.data === 'internal') {
    return { ok: false, reason: 'open_to_public contradicts visibility internal' };
  }
  return {
    ok: true,
    visibility: wanted.data,
    requires_token: requires_token ?? open_to_public !== true,
    deprecated: open_to_public != null,
  };
}

/** The old flag for readers that know nothing else. An internal circuit is never called open. */
export function toOpenToPublic(visibility: Visibility, requires_token: boolean): boolean {
  return visibility === 'public' && !requires_token;
}
