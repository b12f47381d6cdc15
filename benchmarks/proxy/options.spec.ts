import { describe, expect, it } from '@jest/globals';

import { readOptions, UsageError } from './options.ts';

describe('readOptions', () => {
  it('has defaults that end within three minutes and a quick form', () => {
    expect(readOptions([])).toMatchObject({
      seconds: 2,
      rounds: 5,
      connections: [1, 16, 64],
      bodyBytes: [1024],
    });
    expect(readOptions(['--quick', '--json', 'x.json'])).toMatchObject({
      seconds: 1,
      rounds: 2,
      jsonFile: 'x.json',
    });
  });

  it.each([
    ['--seconds', '0'],
    ['--rounds', 'many'],
    ['--connections', '1,,2'],
    ['--speed', '9'],
  ])('refuses %s %s and names it', (flag, value) => {
    expect(() => readOptions([flag, value])).toThrow(UsageError);
    expect(() => readOptions([flag, value])).toThrow(flag);
  });
});
