import { describe, expect, it } from '@jest/globals';

import { AckRegistry } from './ack-registry.js';

describe('AckRegistry', () => {
  it('keeps what was offered between arming and waiting', async () => {
    const registry = new AckRegistry<string>();
    const collector = registry.arm((ack) => ack.startsWith('mine'));
    registry.offer('mine-1');
    registry.offer('other');
    expect(await collector.until(() => collector.acks.length > 0, 10)).toBe(true);
    expect(collector.acks).toEqual(['mine-1']);
  });

  it('wakes a waiter with the ack that makes it enough', async () => {
    const registry = new AckRegistry<number>();
    const collector = registry.arm(() => true);
    const waiting = collector.until(() => collector.acks.length === 2, 5_000);
    registry.offer(1);
    registry.offer(2);
    expect(await waiting).toBe(true);
  });

  it('gives up when the time is over', async () => {
    const collector = new AckRegistry<number>().arm(() => true);
    expect(await collector.until(() => false, 5)).toBe(false);
  });

  it('ends every wait, and those armed later, when it closes', async () => {
    const registry = new AckRegistry<number>();
    const waiting = registry.arm(() => true).until(() => false, 60_000);
    registry.close();
    expect(await waiting).toBe(false);
    expect(await registry.arm(() => true).until(() => false, 60_000)).toBe(false);
  });
});
