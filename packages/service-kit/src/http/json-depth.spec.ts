import { describe, expect, it } from '@jest/globals';

import { nestsDeeperThan } from './json-depth.js';

function nested(depth: number): Buffer {
  return Buffer.from(`${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`);
}

describe('nestsDeeperThan', () => {
  it('allows exactly the limit', () => {
    expect(nestsDeeperThan(nested(100), 100)).toBe(false);
    expect(nestsDeeperThan(nested(102), 100)).toBe(true);
  });

  it('does not count brackets inside texts, escaped quotes included', () => {
    expect(nestsDeeperThan(Buffer.from(`{"a":"${'['.repeat(500)}\\"${'{'.repeat(500)}\\\\"}`), 3)).toBe(
      false,
    );
  });

  it('counts siblings once', () => {
    expect(nestsDeeperThan(Buffer.from(`[${'[],'.repeat(500)}[]]`), 2)).toBe(false);
  });
});
