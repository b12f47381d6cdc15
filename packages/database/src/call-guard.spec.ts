import { describe, expect, it } from '@jest/globals';

import { CallGuard } from './call-guard.js';

class Unavailable extends Error {}

const refused = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
const works = () => Promise.resolve('row');
const hangs = () => new Promise<never>(() => undefined);

function world(deadlineMs = 1_000) {
  const lines: { level: string; fields: object }[] = [];
  const clock = { ms: 0 };
  const guard = new CallGuard({
    deadlineMs,
    unavailable: (cause) => new Unavailable('away', { cause }),
    logger: {
      info: (fields) => lines.push({ level: 'info', fields }),
      error: (fields) => lines.push({ level: 'error', fields }),
    },
    now: () => clock.ms,
  });
  return { guard, lines, clock };
}

describe('CallGuard', () => {
  it('logs an outage when it begins and when it ends, and counts in between', async () => {
    const { guard, lines, clock } = world();
    for (let call = 0; call < 50; call += 1) await expect(guard.run(refused)).rejects.toThrow(Unavailable);
    clock.ms = 90_000;
    expect(await guard.run(works)).toBe('row');
    await guard.run(works);
    expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
    expect(lines[1]?.fields).toEqual({ outage_ms: 90_000, failed_calls: 50 });
  });

  it('sees one outage where calls fail and succeed by turns', async () => {
    const { guard, lines, clock } = world();
    for (let turn = 0; turn < 10; turn += 1) {
      clock.ms += 100;
      await expect(guard.run(refused)).rejects.toThrow();
      await guard.run(works);
    }
    expect(lines).toHaveLength(1);
  });

  it('tells callers to come back when the deadline is missed', async () => {
    const { guard, lines } = world(5);
    await expect(guard.run(hangs)).rejects.toThrow(Unavailable);
    expect(lines).toHaveLength(1);
  });

  it('leaves errors alone that say nothing about the server', async () => {
    const { guard, lines } = world();
    const wrong = new Error('no such column');
    await expect(guard.run(() => Promise.reject(wrong))).rejects.toBe(wrong);
    expect(lines).toEqual([]);
  });

  it('probes without making an outage, and sees one end', async () => {
    const { guard, lines, clock } = world();
    expect(await guard.answers(hangs, 5)).toBe(false);
    expect(await guard.answers(refused, 5)).toBe(false);
    expect(lines).toEqual([]);
    await expect(guard.run(refused)).rejects.toThrow();
    clock.ms = 5_000;
    expect(await guard.answers(works, 50)).toBe(true);
    expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
  });
});
