export interface Mapping {
  readonly deployment_id: string;
  readonly ratio: number;
}

/**
 * Whether a full list of mappings changes the ratio of a deployment that stays mapped. Under a strategy such ratios
 * are not for people to set, while adding and removing deployments is.
 */
export function editsRatios(before: readonly Mapping[], after: readonly Mapping[]): boolean {
  const ratios = new Map(before.map(({ deployment_id, ratio }) => [deployment_id, ratio]));
  return after.some(({ deployment_id, ratio }) => {
    const old = ratios.get(deployment_id);
    return old !== undefined && old !== ratio;
  });
}
