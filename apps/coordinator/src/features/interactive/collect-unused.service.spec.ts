import { describe, expect, it } from '@jest/globals';

import type { HostedCircuit } from '../propagation/index.js';
import { CollectUnusedService } from './collect-unused.service.js';
import { IdleCircuits } from './domain/idle-circuits.js';

const TIMEOUT_MS = 1_000;
const NOW = new Date('2026-08-01T00:00:00Z');
const before = (ms: number) => new Date(NOW.getTime() - ms);

function collector({ lastAccessMs, gone = false }: { lastAccessMs: number | Error; gone?: boolean }) {
  const events: string[] = [];
  const store = {
    all: () => Promise.resolve([{ id: 'c', openedAt: before(60_000) }]),
    remove: ({ id }: { id: string }) => {
      events.push(`remove ${id}`);
      return Promise.resolve(gone ? [] : [{ circuit: { id } } as HostedCircuit]);
    },
    pruneTokens: () => Promise.resolve(),
  };
  const lastAccess = {
    lastAccessOf: () =>
      lastAccessMs instanceof Error
        ? Promise.reject(lastAccessMs)
        : Promise.resolve(new Map([['c', lastAccessMs]])),
  };
  const announcer = {
    removed: (removed: readonly HostedCircuit[]) => {
      events.push(...removed.map(({ circuit }) => `announce ${circuit.id}`));
      return Promise.resolve(undefined);
    },
  };
  return {
    events,
    service: new CollectUnusedService(store, lastAccess, new IdleCircuits(TIMEOUT_MS), announcer),
  };
}

describe('CollectUnusedService', () => {
  it('removes and announces what nobody used for longer than the timeout', async () => {
    const { service, events } = collector({ lastAccessMs: before(TIMEOUT_MS + 1).getTime() });
    expect(await service.collect(NOW)).toEqual([{ circuit: { id: 'c' } }]);
    expect(events).toEqual(['remove c', 'announce c']);
  });

  it('leaves what is in use', async () => {
    const { service, events } = collector({ lastAccessMs: before(TIMEOUT_MS).getTime() });
    expect(await service.collect(NOW)).toEqual([]);
    expect(events).toEqual([]);
  });

  it('announces nothing that another coordinator removed', async () => {
    const { service, events } = collector({ lastAccessMs: 0, gone: true });
    expect(await service.collect(NOW)).toEqual([]);
    expect(events).toEqual(['remove c']);
  });

  it('removes nothing while nobody can say what is used', async () => {
    const { service, events } = collector({ lastAccessMs: new Error('not reachable') });
    await expect(service.collect(NOW)).rejects.toThrow('not reachable');
    expect(events).toEqual([]);
  });
});
