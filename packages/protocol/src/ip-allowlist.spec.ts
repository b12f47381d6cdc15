import { describe, expect, it } from '@jest/globals';
import { loadFixture } from '../fixtures/load-fixture.js';
import { unwrapMappedIpv4 } from './ip-address.js';
import { isIpOrCidr, parseIpList } from './ip-allowlist.js';

const { cases } = loadFixture<{
  readonly cases: readonly {
    readonly allowed_client_ips: string | null;
    readonly peer: string;
    readonly restricted: boolean;
    readonly allowed: boolean;
  }[];
}>('ip-allowlist');

describe('parseIpList', () => {
  it.each(cases)('$allowed_client_ips decides on $peer as peers do', (example) => {
    const list = parseIpList(example.allowed_client_ips);
    expect(list.restricted).toBe(example.restricted);
    expect(list.allows(example.peer)).toBe(example.allowed);
  });

  it('admits an IPv4 peer of a dual-stack socket once it is unwrapped', () => {
    expect(parseIpList('10.0.0.0/8').allows(unwrapMappedIpv4('::ffff:10.0.0.1'))).toBe(true);
  });

  it("fails closed on a key's list of which nothing is valid, and says what was wrong", () => {
    const list = parseIpList(['bogus', ' ']);
    expect(list).toMatchObject({ restricted: true, invalid: ['bogus'] });
    expect(list.allows('203.0.113.1')).toBe(false);
  });

  it.each([[null], [undefined], [[]], ['  ,  ']])('treats %j as no list', (list) => {
    expect(parseIpList(list)).toMatchObject({ restricted: false, invalid: [] });
  });

  it.each([
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '::1', true],
    ['10.1.0.0/255.255.0.0', '10.1.9.9', true],
    ['10.1.0.0/255.255.0.0', '10.2.0.1', false],
    ['10.1.0.0/0.0.255.255', '10.1.9.9', true],
    ['2001:db8:0:0::/64', '2001:DB8::ffff', true],
    ['2001:db8::/64', '2001:db8:0:1::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['1.2.3.4/32', '1.2.3.4', true],
  ])('%s decides on %s', (network, peer, allowed) => {
    expect(parseIpList(network).allows(peer)).toBe(allowed);
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0',
    '10.0.0.256',
    '010.0.0.1',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '::1.2.3',
    '::12345',
    'fe80::1%eth0/64',
    '10.0.0.0/255.0.255.0',
    '',
  ])('calls %j no network', (text) => {
    expect(isIpOrCidr(text)).toBe(false);
  });
});

describe('unwrapMappedIpv4', () => {
  it.each([
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:a00:1', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.1'],
    ['::1', '::1'],
    ['2001:db8::ffff:10.0.0.1', '2001:db8::ffff:10.0.0.1'],
    ['::ffff:255.255.255.255', '255.255.255.255'],
    ['no:address', 'no:address'],
  ])('%s -> %s', (address, expected) => {
    expect(unwrapMappedIpv4(address)).toBe(expected);
  });
});
