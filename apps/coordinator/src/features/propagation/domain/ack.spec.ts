import { describe, expect, it } from '@jest/globals';

import { acknowledges, type Ack, type AnnouncedChange } from './ack.js';

const change: AnnouncedChange = { authority: 'r', entity: 'key', action: 'removed', id: 'k', revision: '10' };
const ack: Ack = { authority: 'r', nodeId: 'n1', kind: 'key_removed', id: 'k', revision: '10' };

describe('acknowledges', () => {
  it.each([
    ['the exact kind', {}, true],
    ['the coarse kind', { kind: 'key' }, true],
    ['no revision', { revision: null }, true],
    ['a newer revision', { revision: '11' }, true],
    ['an older revision: the late ack of an earlier removal', { revision: '9' }, false],
    ['an update instead of the removal', { kind: 'key_updated' }, false],
    ['another key', { id: 'other' }, false],
    ['another authority', { authority: 'other' }, false],
    ['a model of the same name', { kind: 'model_removed' }, false],
  ])('judges an ack with %s', (_what, differs, expected) => {
    expect(acknowledges({ ...ack, ...differs }, change)).toBe(expected);
  });
});
