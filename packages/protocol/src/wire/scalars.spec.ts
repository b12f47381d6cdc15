import { describe, expect, it } from '@jest/globals';
import {
  revisionSchema,
  timestampSchema,
  toWireTimestamp,
  uuidSchema,
  wireBool,
  wireInt,
  wirePort,
  wireWeight,
} from './scalars.js';

const UUID = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';

describe('timestamps', () => {
  it.each([
    ['2026-07-20T03:04:05Z', '2026-07-20T03:04:05Z'],
    ['2026-07-20T03:04:05.123456Z', '2026-07-20T03:04:05.123456Z'],
    ['2026-07-20T12:04:05+09:00', '2026-07-20T03:04:05Z'],
    ['2026-07-20 12:04:05.5+0900', '2026-07-20T03:04:05.500000Z'],
    [1784516645, '2026-07-20T03:04:05Z'],
    ['1784516645', '2026-07-20T03:04:05Z'],
    [1784516950.25, '2026-07-20T03:09:10.250000Z'],
    [0, '1970-01-01T00:00:00Z'],
  ])('%j is read as %s', (input, expected) => {
    expect(timestampSchema.parse(input)).toBe(expected);
  });

  it.each([
    ['2026-07-20T03:04:05'],
    ['2026-07-20'],
    ['yesterday'],
    ['2026-13-20T03:04:05Z'],
    ['2026-07-20T99:04:05Z'],
    [1e300],
    [true],
    [null],
    [{}],
  ])('%j is refused', (input) => {
    expect(timestampSchema.safeParse(input).success).toBe(false);
  });

  it('are printed without a zero fraction', () => {
    expect(toWireTimestamp(new Date('2026-07-20T03:04:05.000Z'))).toBe('2026-07-20T03:04:05Z');
    expect(toWireTimestamp(new Date('2026-07-20T03:04:05.007Z'))).toBe('2026-07-20T03:04:05.007000Z');
  });
});

describe('scalars', () => {
  it('read UUIDs in any common spelling and print one', () => {
    expect(uuidSchema.parse(UUID.toUpperCase())).toBe(UUID);
    expect(uuidSchema.parse(UUID.replaceAll('-', ''))).toBe(UUID);
    expect(uuidSchema.safeParse(`${UUID}0`).success).toBe(false);
    expect(uuidSchema.safeParse(42).success).toBe(false);
  });

  it('read numbers in strings, and no others', () => {
    expect(wireInt.parse('42')).toBe(42);
    expect(wireWeight.parse(' 0.5 ')).toBe(0.5);
    for (const text of ['', ' ', '0x10', '1e', 'NaN', 'Infinity', '4 2'])
      expect(wireWeight.safeParse(text).success).toBe(false);
    expect(wireInt.safeParse(1.5).success).toBe(false);
    expect(wireWeight.safeParse(-1).success).toBe(false);
    expect(wirePort.safeParse(0).success).toBe(false);
    expect(wirePort.safeParse('65536').success).toBe(false);
  });

  it('read the booleans of query strings', () => {
    for (const yes of [true, 'true', 'True', '1', 1, 'on', 'yes']) expect(wireBool.parse(yes)).toBe(true);
    for (const no of [false, 'false', '0', 0, 'off', 'no']) expect(wireBool.parse(no)).toBe(false);
    for (const neither of ['', 'maybe', 2, null]) expect(wireBool.safeParse(neither).success).toBe(false);
  });

  it('keep revisions as opaque strings', () => {
    expect(revisionSchema.parse(42)).toBe('42');
    expect(revisionSchema.parse('042')).toBe('042');
    expect(revisionSchema.safeParse('').success).toBe(false);
  });
});
