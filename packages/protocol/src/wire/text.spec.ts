import { describe, expect, it } from '@jest/globals';
import { modelNameSchema, storedJsonObject, storedText } from './text.js';

const LONE_SURROGATE = '\ud800';

function nested(levels: number): unknown {
  return levels === 0 ? {} : { next: nested(levels - 1) };
}

describe('text that ends in a database', () => {
  it.each(['qwen/qwen3', '50% off', 'my model', '모델', '🦙', '..'])('may be %j', (name) => {
    expect(modelNameSchema.parse(name)).toBe(name);
  });

  it.each([
    ['NUL', 'a\u0000b'],
    ['half a surrogate pair', `a${LONE_SURROGATE}`],
    ['nothing', ''],
    ['too much', 'x'.repeat(256)],
  ])('is refused with %s in it', (_what, name) => {
    expect(modelNameSchema.safeParse(name).success).toBe(false);
  });

  it('may be empty where no minimum is stated', () => {
    expect(storedText(4).parse('')).toBe('');
  });
});

describe('JSON that ends in a database', () => {
  it('is kept as it is', () => {
    const policy = { strategy: 'x', 'kept-key': [1, null, { deep: '모델' }], literal: '\\u0000' };
    expect(storedJsonObject.parse(policy)).toEqual(policy);
  });

  it.each([
    ['NUL in a value', { a: ['\u0000'] }],
    ['NUL in a key', { a: { 'x\u0000': 1 } }],
    ['half a surrogate pair', { a: LONE_SURROGATE }],
    ['33 levels', nested(33)],
    ['100,000 levels', JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) as unknown],
    ['too many characters', { a: 'x'.repeat(64 * 1024) }],
    ['an array for an object', []],
  ])('is refused with %s', (_what, value) => {
    expect(storedJsonObject.safeParse(value).success).toBe(false);
  });
});
