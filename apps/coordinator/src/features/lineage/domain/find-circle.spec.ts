import { describe, expect, it } from '@jest/globals';

import { findCircle } from './find-circle.js';

describe('findCircle', () => {
  it.each([
    ['an upstream that calls nobody', [], null],
    ['an upstream that calls others', ['c', 'd'], null],
    ['two that would call each other', ['a'], ['a', 'b', 'a']],
    ['a longer way round', ['c', 'd', 'a', 'e'], ['a', 'b', 'c', 'd', 'a']],
  ])('judges %s', (_what, ancestors, circle) => {
    expect(findCircle('a', 'b', ancestors)).toEqual(circle);
  });
});
