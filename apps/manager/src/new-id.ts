import { randomBytes } from 'node:crypto';

const COUNTER_MAX = 0xfff;

let lastMs = 0;
let counter = 0;

/**
 * A UUIDv7 that is greater than every one made before in this process: lists and audit rows are ordered by id, and
 * several are often made within one millisecond. A full counter borrows from the next millisecond.
 */
export function newId(nowMs: number = Date.now()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    counter = 0;
  } else if (counter === COUNTER_MAX) {
    lastMs += 1;
    counter = 0;
  } else counter += 1;
  const time = lastMs.toString(16).padStart(12, '0');
  const random = randomBytes(8);
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
  const tail = random.toString('hex');
  const middle = `7${counter.toString(16).padStart(3, '0')}`;
  return `${time.slice(0, 8)}-${time.slice(8)}-${middle}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
