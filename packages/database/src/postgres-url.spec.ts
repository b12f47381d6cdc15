import { describe, expect, it } from '@jest/globals';

import { parsePostgresUrl } from './postgres-url.js';

describe('parsePostgresUrl', () => {
  it('splits a URL and keeps the credentials for the maintenance database only', () => {
    expect(parsePostgresUrl('postgresql://user:p%40ss@db:6432/penstock_manager?sslmode=require')).toEqual({
      database: 'penstock_manager',
      address: 'db:6432',
      maintenanceUrl: 'postgresql://user:p%40ss@db:6432/postgres?sslmode=require',
    });
  });

  it.each([
    ['mysql://user:hunter2@db/x', /must start with postgresql/],
    ['postgresql://user:hunter2@db:port/x', /malformed/],
    ['postgresql://user:hunter2@db', /names no database/],
  ])('refuses %s without repeating the password', (url, message) => {
    expect(() => parsePostgresUrl(url)).toThrow(message);
    expect(() => parsePostgresUrl(url)).not.toThrow(/hunter2/);
  });
});
