/** The middle value; the mean of the middle two of an even count; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] ?? NaN;
  return ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Ratio of two series taken in the same rounds. Each round gives one ratio, because a noisy machine moves both
 * values of a round together; the median of those is what is reported. Null when no round has both.
 */
export function ratioPerRound(values: readonly Maybe[], floors: readonly Maybe[]): Spread | null {
  const ratios = values.flatMap((value, round) => {
    const floor = floors[round];
    return value == null || floor == null || floor <= 0 ? [] : [value / floor];
  });
  if (ratios.length === 0) return null;
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
}

type Maybe = number | null | undefined;
