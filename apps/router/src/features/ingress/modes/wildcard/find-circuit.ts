import { AppError } from '@penstock/protocol';
import type { EndpointTarget, Snapshot } from '../../../snapshot/index.js';
import type { HostMatch } from '../../../wildcard/index.js';
import type { CircuitFrontend } from './circuit-deps.js';

/**
 * The endpoint a host stands for. What exists on another listener does not exist here: the answer is the same.
 * @throws AppError `endpoint_not_found`
 */
export function findCircuit(frontend: CircuitFrontend, snapshot: Snapshot, match: HostMatch): EndpointTarget {
  const found = match.kind === 'label' ? frontend.targets(snapshot).get(match.label) : undefined;
  if (found !== undefined) return found;
  throw endpointNotFound();
}

/** Says nothing of the host, which is the caller's text. */
export function endpointNotFound(): AppError {
  return new AppError('endpoint_not_found', 'No endpoint answers to this host.');
}
