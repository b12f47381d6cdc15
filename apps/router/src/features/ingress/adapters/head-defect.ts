import type { IncomingMessage } from 'node:http';
import type { HeadDefect } from '../front.port.js';

/** What `node:http` lets pass although HTTP forbids it. */
export function headDefect({ headers, httpVersionMinor, rawHeaders }: IncomingMessage): HeadDefect | null {
  if (httpVersionMinor === 1) return countHosts(rawHeaders) === 1 ? null : 'hosts';
  return headers['transfer-encoding'] === undefined ? null : 'chunks_in_http_1_0';
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
