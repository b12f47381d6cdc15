import { describe, expect, it } from '@jest/globals';
import type { CircuitPropagation } from '@penstock/protocol';

import { ofCircuit, ofSteps } from './propagation.js';

const applied: CircuitPropagation = { status: 'applied', waited_ms: 3 };
const unchanged: CircuitPropagation = { status: 'unchanged', waited_ms: 0 };
const late: CircuitPropagation = { status: 'deferred', reason: 'awaiting_ack', waited_ms: 15_000 };
const alone: CircuitPropagation = { status: 'deferred', reason: 'no_live_node', waited_ms: 0 };

describe('what a change of a deployment came to', () => {
  it.each([
    ['the routes were acknowledged, with all the creation said', late, applied, 'applied', undefined],
    ['the creation said everything', applied, unchanged, 'applied', undefined],
    ['nothing changed', unchanged, unchanged, 'unchanged', undefined],
    ['the routes were not acknowledged', applied, late, 'deferred', 'awaiting_ack'],
    ['nobody is there', alone, alone, 'deferred', 'no_live_node'],
    [
      'the creation was not acknowledged and the routes had nothing to add',
      late,
      unchanged,
      'deferred',
      'awaiting_ack',
    ],
    ['a coordinator of another make does not tell', null, null, 'deferred', 'announced'],
  ] as const)('when %s', (_when, created, routed, status, reason) => {
    const propagation = ofSteps(created, routed);
    expect([propagation.status, propagation.reason]).toEqual([status, reason]);
  });

  it('counts both waits', () => {
    expect(ofSteps(late, applied).waited_ms).toBe(15_003);
  });

  it('does not turn a reason of tomorrow into success', () => {
    expect(ofCircuit({ status: 'deferred', waited_ms: 1 })).toMatchObject({
      status: 'deferred',
      reason: 'awaiting_ack',
    });
  });
});
