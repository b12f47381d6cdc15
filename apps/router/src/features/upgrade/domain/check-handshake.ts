import { AppError } from '@penstock/protocol';

/** Sixteen bytes in base64 (RFC 6455, 4.1). */
const KEY = /^[A-Za-z0-9+/]{22}==$/;
const VERSION = /^\d{1,3}$/;
const PROTOCOL = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;

interface Handshake {
  readonly method: string;
  header(name: string): string | undefined;
}

/**
 * The protocol a request asks for. A WebSocket handshake that a replica could read in two ways, or not at all, stops
 * here; its version is the replica's to judge, which knows what it speaks.
 * @throws AppError `invalid_request`
 */
export function checkHandshake(handshake: Handshake): string {
  // Asked without a credential, so it must not lead out of HTTP.
  if (handshake.method === 'OPTIONS')
    throw new AppError('invalid_request', 'OPTIONS leads to no other protocol.');
  const header = (name: string) => handshake.header(name);
  const protocol = header('upgrade')?.trim() ?? '';
  if (!PROTOCOL.test(protocol))
    throw new AppError('invalid_request', 'The `Upgrade` header names no protocol.');
  if (!/(?:^|,)\s*websocket\s*(?:,|$)/i.test(protocol)) return protocol;
  if (handshake.method !== 'GET') throw new AppError('invalid_request', 'A WebSocket begins with a GET.');
  if (!KEY.test(header('sec-websocket-key') ?? '')) {
    throw new AppError('invalid_request', 'A WebSocket needs one `Sec-WebSocket-Key` of 16 bytes in base64.');
  }
  if (!VERSION.test(header('sec-websocket-version') ?? '')) {
    throw new AppError('invalid_request', 'A WebSocket needs one `Sec-WebSocket-Version`.');
  }
  return protocol;
}
