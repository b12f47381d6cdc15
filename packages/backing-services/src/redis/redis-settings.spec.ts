import { describe, expect, it } from '@jest/globals';
import { redisSettings } from './redis-settings.js';

const place = { bind: '127.0.0.1', port: 10479, dir: '/tmp/with "quotes" and spaces' };

describe('redisSettings', () => {
  it('quotes the directory and asks for the password', () => {
    const text = redisSettings({ port: 1, password: 'pw', durability: 'durable' }, place);
    expect(text).toContain('dir "/tmp/with \\"quotes\\" and spaces"\n');
    expect(text).toContain('requirepass pw\n');
  });

  it('writes to disk unless the data is throwaway', () => {
    expect(redisSettings({ port: 1, password: 'pw', durability: 'durable' }, place)).toContain(
      'appendonly yes',
    );
    expect(redisSettings({ port: 1, password: 'pw', durability: 'throwaway' }, place)).toContain('save ""');
  });
});
