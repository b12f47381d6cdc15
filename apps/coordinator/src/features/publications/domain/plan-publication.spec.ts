import type { Publication, PutModelBody } from '@penstock/protocol';
import { describe, expect, it } from '@jest/globals';

import { planPublication } from './plan-publication.js';

const A = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';
const B = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000eb02';

const body: PutModelBody = {
  aliases: ['llama-4', 'llama'],
  mappings: [
    { endpoint_id: A, ratio: 0.7 },
    { endpoint_id: B, ratio: 0.3 },
  ],
  control_mode: 'manual',
};
const published: Publication[] = [{ model: 'llama-4-chat', ...body }];

describe('planPublication', () => {
  it('sees no change in the same content, whatever its order', () => {
    const reordered = {
      ...body,
      aliases: [...body.aliases].reverse(),
      mappings: [...body.mappings].reverse(),
    };
    expect(planPublication('llama-4-chat', reordered, published).kind).toBe('unchanged');
  });

  it('sees a change in a policy, whose key order says nothing', () => {
    const withPolicy = (policy: Record<string, unknown>) => ({ ...body, policy });
    const stored: Publication[] = [{ model: 'm', ...withPolicy({ a: 1, b: { c: 2, d: 3 } }), aliases: [] }];
    const put = (policy: Record<string, unknown>) =>
      planPublication('m', { ...withPolicy(policy), aliases: [] }, stored).kind;
    expect(put({ b: { d: 3, c: 2 }, a: 1 })).toBe('unchanged');
    expect(put({ a: 1, b: { c: 2, d: 4 } })).toBe('changed');
  });

  it.each([
    ['a primary name that is an alias elsewhere', 'llama-4', { ...body, aliases: [] }],
    ['an alias that is a primary name elsewhere', 'other', { ...body, aliases: ['llama-4-chat'] }],
    ['an alias that is an alias elsewhere', 'other', { ...body, aliases: ['llama'] }],
  ])('refuses %s', (_what, model, wanted) => {
    expect(planPublication(model, wanted, published).kind).toBe('conflict');
  });

  it('does not take a name for an alias of itself', () => {
    const plan = planPublication('m', { ...body, aliases: ['m', 'x'] }, []);
    expect(plan).toMatchObject({ kind: 'changed', publication: { model: 'm', aliases: ['x'] } });
  });
});
