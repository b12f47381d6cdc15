import { AppError } from '@penstock/protocol';
import { outgoingRequest, type OutgoingRequest } from './outgoing-request.js';
import type { PassthroughDeps, PassthroughJob } from './passthrough.port.js';
import { Passthrough } from './passthrough.js';

/** Passes one request to a replica of its circuit and the answer back. Returns at once; the job hears of the end. */
export function relayPassthrough(deps: PassthroughDeps, job: PassthroughJob): void {
  const { client, record } = job;
  if (record.route === 'unknown') record.route = 'passthrough';
  let outgoing: OutgoingRequest;
  try {
    outgoing = outgoingRequest(client, { trusted: deps.trustsPeer(client.peer), requestId: record.id });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return job.refuse(error);
  }
  new Passthrough(deps, job, outgoing).start();
}
