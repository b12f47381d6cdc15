import { randomFillSync } from 'node:crypto';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const POOL_BYTES = 4_096;
const ID_BYTES = 10;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * `req_` and a UUIDv7: sorts by time, and cannot be guessed from its neighbours. Random bytes are drawn in bulk, one
 * draw per id would cost more than the rest of it.
 */
export function newRequestId(nowMs: number): string {
  if (used + ID_BYTES > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const at = used;
  used += ID_BYTES;
  const high = Math.floor(nowMs / 0x1_0000_0000);
  const low = nowMs >>> 0;
  return (
    'req_' +
    hex(high >>> 8) +
    hex(high) +
    hex(low >>> 24) +
    hex(low >>> 16) +
    '-' +
    hex(low >>> 8) +
    hex(low) +
    '-' +
    hex(0x70 | (random(at) & 0x0f)) +
    hex(random(at + 1)) +
    '-' +
    hex(0x80 | (random(at + 2) & 0x3f)) +
    hex(random(at + 3)) +
    '-' +
    hex(random(at + 4)) +
    hex(random(at + 5)) +
    hex(random(at + 6)) +
    hex(random(at + 7)) +
    hex(random(at + 8)) +
    hex(random(at + 9))
  );
}

function hex(byte: number): string {
  return HEX[byte & 0xff] as string;
}

function random(at: number): number {
  return pool[at] as number;
}
