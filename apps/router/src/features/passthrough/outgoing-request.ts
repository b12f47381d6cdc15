import { headerValue, transparentRequestHeaders } from '../proxy/index.js';
import { checkFraming } from './domain/check-framing.js';
import { replicaPath } from './domain/request-target.js';

/** What came in, as far as it goes on. */
interface Incoming {
  readonly method: string;
  readonly target: string;
  readonly peer: string;
  readonly rawHeaders: readonly string[];
}

/** The part of a request that goes to whichever replica is tried. */
export interface OutgoingRequest {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly headers: string[];
}

/**
 * A client's request as a replica gets it: the same but for what belongs to the connection, and who forwarded it.
 * @throws AppError `invalid_request` for what two readers could take for two things
 */
export function outgoingRequest(
  { method, target, peer, rawHeaders }: Incoming,
  { trusted, requestId }: { readonly trusted: boolean; readonly requestId: string },
): OutgoingRequest {
  checkFraming(rawHeaders);
  const host = headerValue(rawHeaders, 'host');
  const arrival = { peer, trusted, host: host ?? '', requestId };
  const path = replicaPath(target, arrival.host);
  return { method, path, host, headers: transparentRequestHeaders(rawHeaders, arrival) };
}
