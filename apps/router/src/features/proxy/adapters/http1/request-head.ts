import type { ReplicaRequest } from '../../replica-client.port.js';

const PATH = /^[!-~]+$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** One byte per character, so that nothing turns into a line end when it is written as latin1. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The head of a request, made anew: the connection's own host and keep-alive, the request's headers, and a framing that
 * says what is sent. Two readers of the request cannot disagree about its end.
 * @throws TypeError for a character that does not belong in a head
 */
export function requestHead(host: string, request: ReplicaRequest): string {
  const { method, path, headers } = request;
  if (!PATH.test(path)) throw new TypeError('A path that cannot be sent');
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    if (!NAME.test(name) || !VALUE.test(value)) throw new TypeError('A header that cannot be sent');
    head += `${name}: ${value}\r\n`;
  }
  return `${head}${framing(request)}\r\n`;
}

function framing({ method, body }: ReplicaRequest): string {
  if (body === null) return method === 'POST' ? 'content-length: 0\r\n' : '';
  if (body.length === null) return 'transfer-encoding: chunked\r\n';
  return `content-length: ${body.length}\r\n`;
}
