import { describe, expect, it } from '@jest/globals';
import { liveDatabaseUrl } from './live-database.js';
import { CIRCUITS_MAX, UsageBatch } from './usage-batch.js';

describe('a batch of uses', () => {
  it('adds up the requests of a circuit and keeps the last time', () => {
    const batch = new UsageBatch();
    for (const [id, at] of [
      ['a', 1],
      ['b', 2],
      ['a', 3],
    ] as const) {
      expect(batch.add(id, at)).toBe(true);
    }
    expect(Object.fromEntries(batch.take())).toEqual({
      a: { requests: 2, lastAccess: 3 },
      b: { requests: 1, lastAccess: 2 },
    });
    expect(batch.take().size).toBe(0);
  });

  it('keeps the last time of what is used and was counted before', () => {
    const batch = new UsageBatch();
    batch.add('a', 1);
    batch.add('a', 5, 0);
    batch.add('b', 6, 0);
    expect(Object.fromEntries(batch.take())).toEqual({
      a: { requests: 1, lastAccess: 5 },
      b: { requests: 0, lastAccess: 6 },
    });
  });

  it('is bounded, and still counts the circuits it knows', () => {
    const batch = new UsageBatch();
    for (let n = 0; n < CIRCUITS_MAX; n += 1) batch.add(String(n), 1);
    expect(batch.add('one more', 1)).toBe(false);
    expect(batch.add('0', 1)).toBe(true);
    expect(batch.take().size).toBe(CIRCUITS_MAX);
  });
});

it.each([
  ['redis://127.0.0.1:6379/4', 'redis://127.0.0.1:6379/2'],
  ['rediss://user:p%40ss@redis.example:6380', 'rediss://user:p%40ss@redis.example:6380/2'],
  ['redis://[::1]:6379/0', 'redis://[::1]:6379/2'],
])('finds the live database beside %s', (bus, live) => {
  expect(liveDatabaseUrl(bus)).toBe(live);
});
