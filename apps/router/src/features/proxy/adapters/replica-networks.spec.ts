import { describe, expect, it } from '@jest/globals';
import { ForbiddenAddressError, ReplicaNetworks } from './replica-networks.js';

function resolved(networks: readonly string[], name: string): Promise<string | Error> {
  return new Promise((resolve) => {
    new ReplicaNetworks(networks).lookup(name, { family: 4 }, (error, address) =>
      resolve(error ?? (address as string)),
    );
  });
}

describe('the networks replicas may be in', () => {
  it.each([
    [['127.0.0.0/8'], '127.0.0.1', true],
    [['127.0.0.0/8'], '::ffff:127.0.0.1', true],
    [['::/0'], '::ffff:127.0.0.1', false],
    [['::/0', '10.0.0.0/8'], '::ffff:169.254.169.254', false],
    [['::/0'], '64:ff9b::a9fe:a9fe', true],
    [['fc00::/7'], 'fe80::1%eth0', false],
    [['127.0.0.0/8'], 'a-name', true],
    [[], '127.0.0.1', false],
  ])('%j: %s may be connected to: %s', (networks, host, allowed) => {
    expect(new ReplicaNetworks(networks).refusal(host) === null).toBe(allowed);
  });

  it('count for what a name resolves to', async () => {
    expect(await resolved(['127.0.0.0/8'], 'localhost')).toBe('127.0.0.1');
    for (const networks of [['10.0.0.0/8'], []])
      expect(await resolved(networks, 'localhost')).toBeInstanceOf(ForbiddenAddressError);
  });
});
