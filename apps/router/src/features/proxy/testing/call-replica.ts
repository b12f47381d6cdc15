import type { AttemptFailure } from '@penstock/routing';
import type {
  ReplicaAddress,
  ReplicaCall,
  ReplicaClient,
  ReplicaRequest,
  ReplicaSink,
} from '../replica-client.port.js';

/** All that a sink heard of one call. */
export interface ReceivedAnswer {
  status: number;
  headers: readonly string[];
  length: number | null;
  /** One character per byte. */
  body: string;
  failure: AttemptFailure | null;
}

/** Makes one call and waits for its end. */
export function callReplica(
  client: ReplicaClient,
  address: ReplicaAddress,
  request: ReplicaRequest,
  started: (call: ReplicaCall) => void = () => undefined,
): Promise<ReceivedAnswer> {
  return new Promise((resolve) => {
    const answer: ReceivedAnswer = { status: 0, headers: [], length: null, body: '', failure: null };
    const sink: ReplicaSink = {
      head: (status, headers, length) => void Object.assign(answer, { status, headers, length }),
      data: (bytes) => ((answer.body += bytes.toString('latin1')), true),
      end: () => resolve(answer),
      fail: (failure) => resolve({ ...answer, failure }),
    };
    started(client.send(address, request, sink));
  });
}
