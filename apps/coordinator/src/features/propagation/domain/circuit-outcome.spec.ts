import { describe, expect, it } from '@jest/globals';

import {
  allHeld,
  heldVersions,
  judgeCircuit,
  judgeRemoval,
  toVersion,
  type CircuitAck,
} from './circuit-outcome.js';

const ack = (id: string, version: number) => ({ circuits: [{ id, version }] });
const sent = { published: true, liveNodes: 1, waitedMs: 7.4 };

describe('what became of announced circuits', () => {
  it('is said circuit by circuit', () => {
    const circuits = [
      { id: 'a', version: 1 },
      { id: 'b', version: 1 },
    ];
    const evidence = { ...sent, held: heldVersions([ack('a', 1)]) };
    expect(circuits.map((circuit) => judgeCircuit(circuit, evidence))).toEqual([
      { status: 'applied', waited_ms: 7 },
      { status: 'deferred', reason: 'awaiting_ack', waited_ms: 7 },
    ]);
    expect(allHeld(circuits, [ack('a', 1)])()).toBe(false);
    expect(allHeld(circuits, [ack('a', 1), ack('b', 1)])()).toBe(true);
  });

  it('is not applied by a late ack of an earlier version', () => {
    const changed = [{ id: 'a', version: 3 }];
    expect(allHeld(changed, [ack('a', 2), ack('a', 1)])()).toBe(false);
    expect(allHeld(changed, [ack('a', 2), ack('a', 4), ack('a', 1)])()).toBe(true);
  });

  it('is known as acks arrive, however many, without reading any of them twice', () => {
    const circuits = Array.from({ length: 2_000 }, (_none, n) => ({ id: String(n), version: 1 }));
    let reads = 0;
    const acks: CircuitAck[] = [];
    const complete = allHeld(circuits, acks);
    const seen = circuits.map(({ id }) => {
      acks.push({
        get circuits() {
          reads += 1;
          return [{ id, version: 1 }];
        },
      });
      return complete();
    });
    expect([seen.indexOf(true), reads]).toEqual([1_999, 2_000]);
  });

  it('counts the ack of a node that knows no versions for a creation only', () => {
    const stock = [{ circuits: [toVersion({ id: 'a' })] }];
    expect(allHeld([{ id: 'a', version: 1 }], stock)()).toBe(true);
    expect(allHeld([{ id: 'a', version: 2 }], stock)()).toBe(false);
  });

  it.each([
    ['nothing was sent', { published: false, liveNodes: 1 }, 'bus_unavailable'],
    ['nobody is alive', { published: true, liveNodes: 0 }, 'no_live_node'],
  ])('has a reason when %s', (_when, evidence, reason) => {
    const outcome = judgeCircuit({ id: 'a', version: 2 }, { ...evidence, held: new Map(), waitedMs: 0 });
    expect(outcome).toEqual({ status: 'deferred', reason, waited_ms: 0 });
    expect(judgeRemoval(evidence)).toMatchObject({ status: 'deferred', reason });
  });

  it('is never more than announced for a removal', () => {
    expect(judgeRemoval(sent)).toEqual({ status: 'deferred', reason: 'announced', waited_ms: 0 });
  });
});
