import { describe, expect, it } from '@jest/globals';

import { readTraceparent } from './traceparent.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('readTraceparent', () => {
  it('hands on what W3C allows', () => {
    const header = `00-${TRACE}-b7ad6b7169203331-01`;
    expect(readTraceparent(header)).toBe(header);
  });

  it.each([
    ['text', 'anything'],
    ['an upper-case id', `00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`],
    ['an empty trace', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['an empty span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['the forbidden version', `ff-${TRACE}-b7ad6b7169203331-01`],
    ['two lines', `00-${TRACE}-b7ad6b7169203331-01\nx: y`],
    ['a repeated header', [`00-${TRACE}-b7ad6b7169203331-01`]],
    ['nothing', undefined],
  ])('drops %s', (_what, value) => {
    expect(readTraceparent(value)).toBeUndefined();
  });
});
