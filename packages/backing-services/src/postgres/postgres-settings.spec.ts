import { describe, expect, it } from '@jest/globals';
import { postgresSettings } from './postgres-settings.js';

describe('postgresSettings', () => {
  it('listens on the loopback address at the given port only', () => {
    const text = postgresSettings({ port: 10432, durability: 'durable' });
    expect(text).toContain('port = 10432\n');
    expect(text).toContain("listen_addresses = '127.0.0.1'\n");
    expect(text).toContain("unix_socket_directories = ''\n");
  });

  it('gives up crash safety for throwaway data only', () => {
    expect(postgresSettings({ port: 1, durability: 'durable' })).not.toContain('fsync');
    expect(postgresSettings({ port: 1, durability: 'throwaway' })).toContain('fsync = off');
  });
});
