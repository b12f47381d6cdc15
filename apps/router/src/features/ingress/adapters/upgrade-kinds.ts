import type { IncomingMessage } from 'node:http';

/**
 * `any` is any protocol but newer HTTP and TLS, which are offers that HTTP/1.1 may ignore, and does. One of them among
 * others is enough: requests inside it would reach a replica with nothing of what is made anew here.
 */
export type UpgradeKinds = 'websocket' | 'any';

const OFFERS = /(?:^|,)\s*(?:h2c?|tls|http)\b/i;

/** Whether a request is taken for one to leave HTTP. With a body it is not: that would have to be read as HTTP first. */
export function asksForUpgrade({ headers, httpVersionMinor }: IncomingMessage, kinds: UpgradeKinds): boolean {
  const { upgrade = '' } = headers;
  if (kinds === 'websocket') return /\bwebsocket\b/i.test(upgrade);
  return httpVersionMinor === 1 && !OFFERS.test(upgrade) && !hasBody(headers);
}

function hasBody(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}
