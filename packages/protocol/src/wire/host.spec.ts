import { describe, expect, it } from '@jest/globals';
import { hostSchema } from './host.js';

describe('hostSchema', () => {
  it.each([
    'router.example.com',
    'localhost',
    'gpu_node-1',
    '10.0.0.1',
    '::1',
    '2001:db8::1',
    'bücher.example',
  ])('takes %s', (host) => {
    expect(hostSchema.parse(host)).toBe(host);
  });

  it.each([
    '',
    ' ',
    'a b',
    'host:8080',
    'user@host',
    'host/path',
    'host?x',
    'host#x',
    '[::1]',
    'fe80::1%eth0',
    '10.0.0.256',
    'a%20b',
    'http://host',
  ])('refuses %j', (host) => {
    expect(hostSchema.safeParse(host).success).toBe(false);
  });
});
