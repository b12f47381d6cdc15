import { outgoingRequest, type OutgoingRequest, type PassthroughDeps } from '../../../passthrough/index.js';
import type { FrontExchange } from '../../front.port.js';

/**
 * An inference call as the replica of a circuit gets it: all that the client sent, as for any other call there, but for
 * the coding of the answer, which is read on its way.
 * @throws AppError `invalid_request`
 */
export function circuitRequest(
  client: FrontExchange,
  { trustsPeer }: Pick<PassthroughDeps, 'trustsPeer'>,
  requestId: string,
): OutgoingRequest {
  const outgoing = outgoingRequest(client, { trusted: trustsPeer(client.peer), requestId });
  return {
    ...outgoing,
    headers: [...without(outgoing.headers, 'accept-encoding'), 'accept-encoding', 'identity'],
  };
}

/** @param name - lower-case */
export function without(headers: readonly string[], name: string): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const sent = headers[index] as string;
    if (sent.toLowerCase() !== name) kept.push(sent, headers[index + 1] as string);
  }
  return kept;
}
