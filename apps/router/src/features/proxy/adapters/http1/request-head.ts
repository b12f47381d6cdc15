import type { ReplicaRequest } from '../../replica-client.port.js';

const PATH = /^[!-~]+$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** One byte per character, so that nothing turns into a line end when it is written as latin1. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Methods whose request says that it has no body, as servers want to know it of them. */
const SAYS_LENGTH: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * The head of a request, made anew: a host, a keep-alive of our own, the request's headers, and a framing that says
 * what is sent. Two readers of the request cannot disagree about its end.
 * @param host - the replica's own, for requests that name none
 * @param protocol - the protocol the connection is to be switched to; none for a request that stays in HTTP
 * @throws TypeError for a character that does not belong in a head
 */
export function requestHead(host: string, request: ReplicaRequest, protocol?: string): string {
  const { method, path, headers } = request;
  if (!PATH.test(path)) throw new TypeError('A path that cannot be sent');
  if (!NAME.test(method)) throw new TypeError('A method that cannot be sent');
  const named = request.host ?? host;
  if (named !== host && !VALUE.test(named)) throw new TypeError('A host that cannot be sent');
  const connection =
    protocol === undefined ? 'keep-alive' : `Upgrade\r\nupgrade: ${checkedProtocol(protocol)}`;
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${named}\r\nconnection: ${connection}\r\n`;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    if (!NAME.test(name) || !VALUE.test(value)) throw new TypeError('A header that cannot be sent');
    head += `${name}: ${value}\r\n`;
  }
  return `${head}${framing(request)}\r\n`;
}

function framing({ method, body }: ReplicaRequest): string {
  if (body === null) return SAYS_LENGTH.has(method) ? 'content-length: 0\r\n' : '';
  if (body.length === null) return 'transfer-encoding: chunked\r\n';
  return `content-length: ${body.length}\r\n`;
}

function checkedProtocol(protocol: string): string {
  if (!VALUE.test(protocol)) throw new TypeError('A protocol that cannot be sent');
  return protocol;
}
