export interface Drift {
  /** Missing on the coordinator, or different there. */
  readonly push: readonly string[];
  /** Removed here on purpose, and there again. */
  readonly remove: readonly string[];
  /** There, and never ours: somebody else's, left alone. */
  readonly foreign: readonly string[];
}

/**
 * Compares what should be on the coordinator with what is. Objects of others are not touched: a coordinator may be
 * driven by several managers, and a manager that starts with an empty database must not empty it.
 */
export function findDrift<W, F>(
  wanted: ReadonlyMap<string, W>,
  found: ReadonlyMap<string, F>,
  removed: { has(key: string): boolean },
  agrees: (wanted: W, found: F) => boolean,
): Drift {
  const push = [...wanted.entries()]
    .filter(([key, want]) => {
      const there = found.get(key);
      return there === undefined || !agrees(want, there);
    })
    .map(([key]) => key);
  const extra = [...found.keys()].filter((key) => !wanted.has(key));
  return {
    push,
    remove: extra.filter((key) => removed.has(key)),
    foreign: extra.filter((key) => !removed.has(key)),
  };
}
