/**
 * The way round that a new binding would close, from the endpoint back to itself; null when it closes none.
 * @param ancestors - everything the upstream calls, nearest first
 */
export function findCircle(
  endpointId: string,
  upstreamId: string,
  ancestors: readonly string[],
): string[] | null {
  const end = ancestors.indexOf(endpointId);
  return end === -1 ? null : [endpointId, upstreamId, ...ancestors.slice(0, end + 1)];
}
