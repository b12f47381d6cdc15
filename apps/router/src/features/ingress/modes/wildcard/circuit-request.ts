import { transparentRequestHeaders } from '../../../proxy/index.js';
import type { PassthroughDeps } from '../../../passthrough/index.js';
import type { FrontExchange } from '../../front.port.js';

/** Path and query of a request target; an absolute one loses its authority. */
export function pathAndQuery(target: string): string {
  const rest = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Headers of an inference call to the replica of a circuit: all that the client sent, as for any other call there, but
 * for the coding of the answer, which is read on its way.
 */
export function circuitHeaders(
  client: FrontExchange,
  { trustsPeer }: Pick<PassthroughDeps, 'trustsPeer'>,
  requestId: string,
): string[] {
  const { peer, rawHeaders } = client;
  const host = client.header('host') ?? '';
  const headers = transparentRequestHeaders(rawHeaders, { peer, host, requestId, trusted: trustsPeer(peer) });
  return [...withoutCoding(headers), 'accept-encoding', 'identity'];
}

function withoutCoding(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.toLowerCase() !== 'accept-encoding') kept.push(name, headers[index + 1] as string);
  }
  return kept;
}
