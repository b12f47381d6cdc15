import { describe, expect, it } from '@jest/globals';

import { allocateSlot, type Randomness, type TakenSlots } from './allocate-slot.js';
import type { PlacementWorker } from './placement-worker.js';

const random: Randomness = { hex: () => '0badcafe', below: (limit) => limit - 1 };
const NOTHING: TakenSlots = { ports: new Set(), subdomains: new Set() };
const ANY = { port: null, label: null };
const taken = (...ports: number[]): TakenSlots => ({
  ports: new Set(ports),
  subdomains: new Set(['llama-a']),
});

type Frontend = Pick<PlacementWorker, 'frontendMode' | 'portRange'>;
const PORT: Frontend = { frontendMode: 'port', portRange: [10501, 10503] };
const WILDCARD: Frontend = { frontendMode: 'wildcard', portRange: null };
const ROUTER: Frontend = { frontendMode: 'router', portRange: null };

describe('allocateSlot', () => {
  it('takes any free port, both ends of the range included', () => {
    expect(allocateSlot(PORT, 'public', ANY, NOTHING, random)).toEqual({ port: 10503, subdomain: null });
    expect(allocateSlot(PORT, 'public', ANY, taken(10502, 10503), random).port).toBe(10501);
  });

  it('does not look at every port of a wide range for each circuit', () => {
    const wide: Frontend = { frontendMode: 'port', portRange: [1, 60_000] };
    const ports = new Set(Array.from({ length: 10_000 }, (_none, n) => 6 * n + 1));
    let looks = 0;
    const counted = {
      ...NOTHING,
      ports: Object.assign(new Set(ports), { has: (port: number) => (looks += 1) > 0 && ports.has(port) }),
    };
    let seed = 1;
    const below = (limit: number) => (seed = (seed * 48_271) % 2_147_483_647) % limit;
    for (let n = 0; n < 1_000; n += 1) {
      const { port } = allocateSlot(wide, 'public', ANY, counted, { ...random, below });
      expect(ports.has(port ?? 0)).toBe(false);
    }
    expect(looks).toBeLessThan(5_000);
  });

  it('takes the wanted port, and refuses one that is taken or out of range', () => {
    expect(allocateSlot(PORT, 'public', { port: 10502, label: null }, NOTHING, random).port).toBe(10502);
    for (const port of [10502, 10504, 10500]) {
      const wanted = { port, label: null };
      expect(() => allocateSlot(PORT, 'public', wanted, taken(10502), random)).toThrow(
        expect.objectContaining({ status: 409, kind: 'portNotAvailable' }),
      );
    }
  });

  it('gives labels on a wildcard worker, none twice', () => {
    const wanted = { port: 1, label: 'Llama.A' };
    expect(allocateSlot(WILDCARD, 'public', wanted, NOTHING, random)).toEqual({
      port: null,
      subdomain: 'llama-a',
    });
    expect(allocateSlot(WILDCARD, 'public', wanted, taken(), random).subdomain).toBe('llama-a-0badcafe');
    expect(allocateSlot(WILDCARD, 'public', ANY, NOTHING, random).subdomain).toBe('app-0badcafe');
  });

  it('gives nothing on a router, but a label to internal circuits on any worker', () => {
    expect(allocateSlot(ROUTER, 'public', ANY, NOTHING, random)).toEqual({ port: null, subdomain: null });
    for (const worker of [ROUTER, PORT, WILDCARD]) {
      const slot = allocateSlot(worker, 'internal', { port: null, label: 'x' }, NOTHING, random);
      expect(slot).toEqual({ port: null, subdomain: 'x' });
    }
  });
});
