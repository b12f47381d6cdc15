import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { wireObject } from './wire-object.js';

const schema = wireObject(
  { first_name: z.string(), size: z.number().default(1), extra: z.string().nullish() },
  { aliases: { first_name: ['given-name', 'name'] }, omitNull: ['extra'] },
);

describe('wireObject', () => {
  it('prefers kebab-case, then snake_case, then the aliases in their order', () => {
    const all = { name: '4', 'given-name': '3', first_name: '2', 'first-name': '1' };
    expect(schema.parse(all).first_name).toBe('1');
    expect(schema.parse({ ...all, 'first-name': undefined }).first_name).toBe('2');
    expect(schema.parse({ name: '4', 'given-name': '3' }).first_name).toBe('3');
    expect(schema.parse({ name: '4' }).first_name).toBe('4');
  });

  it('drops unknown fields and prints the known ones in its own order', () => {
    expect(JSON.stringify(schema.parse({ extra: 'x', zzz: 1, size: 2, name: 'n' }))).toBe(
      '{"first_name":"n","size":2,"extra":"x"}',
    );
  });

  it('does not tell null from absent where null says nothing', () => {
    expect(schema.parse({ name: 'n', extra: null })).toStrictEqual({ first_name: 'n', size: 1 });
  });

  it('reads nothing from a prototype', () => {
    const inherited = Object.create({ first_name: 'inherited' }) as object;
    expect(schema.safeParse(inherited).success).toBe(false);
    expect(schema.safeParse(JSON.parse('{"__proto__":{"first_name":"x"}}')).success).toBe(false);
  });

  it.each([[null], [[]], ['text'], [1], [undefined]])('refuses %j', (input) => {
    expect(schema.safeParse(input).success).toBe(false);
  });
});
