import { describe, expect, it } from '@jest/globals';
import { clientAddressFinder } from './client-address.js';

const find = clientAddressFinder(['10.0.0.0/8', '::1']);

describe('the client address', () => {
  it.each<[string, string | undefined, string, string]>([
    ['203.0.113.9', '1.2.3.4', '203.0.113.9', 'a peer that is no proxy is not believed'],
    ['10.0.0.1', undefined, '10.0.0.1', 'a proxy that says nothing is the client'],
    ['10.0.0.1', '198.51.100.7', '198.51.100.7', 'one hop'],
    ['10.0.0.1', '6.6.6.6, 198.51.100.7', '198.51.100.7', 'what stands left of the client is its own claim'],
    ['10.0.0.1', '6.6.6.6, 198.51.100.7, 10.0.0.2', '198.51.100.7', 'proxies behind proxies are passed'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', 'all trusted: the furthest'],
    ['10.0.0.1', '198.51.100.7:4711', '198.51.100.7', 'with a port'],
    ['10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1', 'IPv6 with a port'],
    ['10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7', 'IPv4-mapped'],
    ['::1', 'nonsense', 'nonsense', 'nonsense stays nonsense and matches no list'],
  ])('of peer %s with %j is %s: %s', (peer, forwardedFor, expected) => {
    expect(find(peer, forwardedFor)).toBe(expected);
  });

  it('is the peer when no proxy is trusted', () => {
    expect(clientAddressFinder([])('10.0.0.1', '1.2.3.4')).toBe('10.0.0.1');
  });
});
