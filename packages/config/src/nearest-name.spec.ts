import { describe, expect, it } from '@jest/globals';

import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  const known = ['database_url', 'redis_url', 'log_level', 'port'];

  it.each([
    ['prot', 'port'],
    ['databse_url', 'database_url'],
    ['LOG_LEVEL', 'log_level'],
    ['loglevel', 'log_level'],
  ])('guesses that %s means %s', (typo, meant) => {
    expect(nearestName(typo, known)).toBe(meant);
  });

  it('guesses nothing where nothing is close', () => {
    expect(nearestName('tls_certificate', known)).toBeUndefined();
  });
});
