import { randomBytes } from 'node:crypto';

/** `req_<UUIDv7>`: unique, and sorted by time wherever it is stored. */
export function newRequestId(nowMs: number = Date.now()): string {
  return `req_${uuidV7(nowMs)}`;
}

function uuidV7(nowMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
