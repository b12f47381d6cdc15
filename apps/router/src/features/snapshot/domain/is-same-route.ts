import type { ModelRoute, WeightedEndpoint } from './snapshot.js';

/** Whether two routes of one name lead to the very same targets; policies and targets are compared by identity. */
export function isSameRoute(left: ModelRoute, right: ModelRoute): boolean {
  return (
    left.publication === right.publication &&
    left.policy === right.policy &&
    left.endpoints.length === right.endpoints.length &&
    left.endpoints.every((endpoint, index) => isSameEndpoint(endpoint, right.endpoints[index]))
  );
}

function isSameEndpoint(left: WeightedEndpoint, right: WeightedEndpoint | undefined): boolean {
  return (
    left.endpointId === right?.endpointId && left.ratio === right.ratio && left.endpoint === right.endpoint
  );
}
