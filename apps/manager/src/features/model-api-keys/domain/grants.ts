export interface Grants {
  readonly kept: readonly string[];
  readonly lost: readonly string[];
}

/** Splits the names a key may call by whether they may stay. Nothing is ever added here. */
export function shrinkGrants(allowed: readonly string[], mayStay: (name: string) => boolean): Grants {
  return { kept: allowed.filter(mayStay), lost: allowed.filter((name) => !mayStay(name)) };
}

/** Names that a changed list would add. */
export function widenedBy(before: readonly string[], after: readonly string[]): readonly string[] {
  const had = new Set(before);
  return after.filter((name) => !had.has(name));
}
