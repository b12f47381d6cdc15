import { describe, expect, it } from '@jest/globals';

import { faultScriptSchema, FaultScript } from './faults.js';

describe('FaultScript', () => {
  it('hands out faults in order, each as often as it says', () => {
    const script = new FaultScript();
    script.add(
      faultScriptSchema.parse([
        { kind: 'hang', times: 1 },
        { kind: 'status', times: 2 },
      ]),
    );
    expect([1, 2, 3, 4].map(() => script.take()?.kind ?? null)).toEqual(['hang', 'status', 'status', null]);
    expect(script.applied).toBe(3);
  });

  it('keeps a fault without times until it is cleared', () => {
    const script = new FaultScript();
    script.add(faultScriptSchema.parse({ kind: 'rate_limit' }));
    expect(Array.from({ length: 50 }, () => script.take()?.kind)).toEqual(Array(50).fill('rate_limit'));
    script.clear();
    expect(script.take()).toBeNull();
  });

  it('refuses unknown kinds and misspelt fields', () => {
    expect(faultScriptSchema.safeParse({ kind: 'explode' }).success).toBe(false);
    expect(faultScriptSchema.safeParse({ kind: 'hang', time: 1 }).success).toBe(false);
  });
});
