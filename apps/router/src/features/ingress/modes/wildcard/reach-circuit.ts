import type { EndpointTarget } from '../../../snapshot/index.js';
import type { RequestRecord } from '../../../usage/index.js';
import { authoriseCircuit, type HostMatch } from '../../../wildcard/index.js';
import { currentSnapshot } from '../../current-snapshot.js';
import type { CircuitDeps } from './circuit-deps.js';
import { findCircuit } from './find-circuit.js';

/** What of a request says where it wants to go, and who sends it. */
interface Caller {
  readonly method: string;
  header(name: string): string | undefined;
}

/**
 * The circuit a host stands for, once its caller may reach it: the same for requests and upgrades.
 * @throws AppError `not_ready`, `endpoint_not_found`, and what refuses a credential or address
 */
export function reachCircuit(
  { frontend, snapshots, now }: CircuitDeps,
  client: Caller,
  match: HostMatch,
  record: RequestRecord,
): EndpointTarget {
  const circuit = findCircuit(frontend, currentSnapshot(snapshots), match);
  record.circuitId = circuit.circuitId;
  authoriseCircuit(circuit, {
    peer: record.peer ?? '',
    method: client.method,
    authorization: client.header('authorization'),
    check: (token) => frontend.tokens.check(token, now()),
  });
  return circuit;
}
