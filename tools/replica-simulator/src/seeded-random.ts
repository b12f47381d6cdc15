import { createHash } from 'node:crypto';

/** A 32-bit seed out of any parts; equal parts give equal seeds on every machine. */
export function seedOf(...parts: readonly (string | number)[]): number {
  return digestOf(...parts).readUInt32LE(0);
}

/** Hex text out of any parts, for ids that must not look random twice. */
export function hexOf(...parts: readonly (string | number)[]): string {
  return digestOf(...parts)
    .toString('hex')
    .slice(0, 32);
}

/** Small deterministic generator (mulberry32) of numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function digestOf(...parts: readonly (string | number)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
