/**
 * Index of one item, chosen with probability weight / sum of weights.
 * @param random - a number in [0, 1)
 * @returns -1 when no weight is positive
 */
export function pickWeighted(weights: readonly number[], random: number): number {
  let total = 0;
  for (const weight of weights) total += weight;
  if (!(total > 0)) return -1;
  let left = random * total;
  let last = -1;
  for (let index = 0; index < weights.length; index += 1) {
    const weight = weights[index] ?? 0;
    if (weight <= 0) continue;
    last = index;
    left -= weight;
    if (left < 0) return index;
  }
  return last; // Rounding may leave a sliver behind the last item.
}
