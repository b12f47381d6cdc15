import { describe, expect, it } from '@jest/globals';
import { TokenBucket } from './token-bucket.js';

function takeAll(bucket: TokenBucket, nowMs: number): number {
  let taken = 0;
  while (bucket.take(nowMs).allowed) taken += 1;
  return taken;
}

describe('TokenBucket', () => {
  it("lets one minute's worth through at once, then refills continuously", () => {
    const bucket = new TokenBucket(60, 0);
    expect(takeAll(bucket, 0)).toBe(60);
    expect(bucket.take(0)).toEqual({ allowed: false, retryAfterMs: 1_000 });
    expect(takeAll(bucket, 999)).toBe(0);
    expect(takeAll(bucket, 1_000)).toBe(1);
    expect(takeAll(bucket, 11_000)).toBe(10);
    expect(takeAll(bucket, 10 * 60_000)).toBe(60);
  });

  it('never lets more through than capacity plus refill', () => {
    const bucket = new TokenBucket(120, 0);
    let taken = 0;
    for (let now = 0; now <= 60_000; now += 37) taken += takeAll(bucket, now);
    expect(taken).toBeLessThanOrEqual(240);
    expect(taken).toBeGreaterThanOrEqual(238);
  });

  it('does not mint tokens when the clock steps back', () => {
    const bucket = new TokenBucket(60, 100_000);
    takeAll(bucket, 100_000);
    expect(takeAll(bucket, 0)).toBe(0);
    expect(takeAll(bucket, 1_000)).toBe(1);
  });

  it('does not forgive what was spent when the limit changes', () => {
    const bucket = new TokenBucket(100, 0);
    for (let count = 0; count < 40; count += 1) bucket.take(0);
    bucket.setRate(50);
    expect(takeAll(bucket, 0)).toBe(10);
    bucket.setRate(50);
    expect(takeAll(bucket, 0)).toBe(0);
  });

  it('passes single requests at a share below one per minute, and none at zero', () => {
    const bucket = new TokenBucket(0.5, 0);
    expect(takeAll(bucket, 0)).toBe(1);
    expect(bucket.take(0)).toEqual({ allowed: false, retryAfterMs: 120_000 });
    expect(takeAll(bucket, 120_000)).toBe(1);
    expect(takeAll(new TokenBucket(0, 0), 60_000)).toBe(0);
  });
});
