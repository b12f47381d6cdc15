import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@penstock/observability';
import { EVENT_NAMES } from '@penstock/protocol';

import { AckRegistry } from './ack-registry.js';
import { AnnounceChangeService, type Announcement } from './announce-change.service.js';
import type { Ack } from './domain/ack.js';
import { PropagationMetrics } from './propagation-metrics.js';
import { FakeFleet } from './testing/fake-fleet.js';

const ACK_TIMEOUT_MS = 4_000;

class World extends FakeFleet {
  readonly acks = new AckRegistry<Ack>();
  readonly service = new AnnounceChangeService(
    this,
    this.acks,
    this.liveness,
    new PropagationMetrics(createMetrics({ service: 'test', processMetrics: false })),
    ACK_TIMEOUT_MS,
  );

  acknowledge(nodeId: string): void {
    this.acks.offer({ authority: 'r', nodeId, kind: 'key_removed', id: 'k', revision: '5' });
  }
}

function removal(strict: boolean): Announcement {
  return {
    worker: { id: 'w', authority: 'r', legacyNodes: 0 },
    change: { authority: 'r', entity: 'key', action: 'removed', id: 'k', revision: '5' },
    event: { name: EVENT_NAMES.routerKeyRemoved, authority: 'r', key_id: 'k', revision: '5' },
    changed: true,
    strict,
  };
}

describe('AnnounceChangeService', () => {
  it('hears the ack of a node that is faster than the answer of the bus', async () => {
    const world = new World();
    world.onPublish = () => world.acknowledge('n2');
    const { propagation } = await world.service.announce(removal(false));
    expect(propagation).toMatchObject({ status: 'applied', first_ack_node: 'n2', revision: '5' });
  });

  it.each<[string, Partial<World>]>([
    ['nobody is alive', { live: [] }],
    ['the bus does not take the message', { sends: false }],
    ['acks cannot be heard', { connected: false }],
  ])('does not wait when %s', async (_when, state) => {
    const world = Object.assign(new World(), state);
    const { propagation, strict } = await world.service.announce(removal(true));
    expect(propagation).toMatchObject({ status: 'deferred', waited_ms: 0 });
    expect(strict?.confirmed).toBe(false);
  });

  it('waits for every live node where proof is asked for', async () => {
    const world = new World();
    world.onPublish = () => {
      world.acknowledge('n1');
      setImmediate(() => world.acknowledge('n2'));
    };
    const { strict } = await world.service.announce(removal(true));
    expect(strict).toEqual({ confirmed: true, confirmed_nodes: ['n1', 'n2'], unconfirmed_nodes: [] });
  });

  it('stops waiting for a node that leaves the live set, and leaves it unconfirmed', async () => {
    const world = new World();
    world.onPublish = () => {
      world.acknowledge('n1');
      world.live = ['n1'];
    };
    const { propagation, strict } = await world.service.announce(removal(true));
    expect(strict).toEqual({ confirmed: false, confirmed_nodes: ['n1'], unconfirmed_nodes: ['n2'] });
    expect(propagation.waited_ms).toBeLessThan(ACK_TIMEOUT_MS);
  });

  it('takes no proof from acks while the liveness store is away', async () => {
    const world = new World();
    world.storeAnswers = false;
    world.onPublish = () => {
      for (const node of ['n1', 'n2']) world.acknowledge(node);
    };
    const { propagation, strict } = await world.service.announce(removal(true));
    expect(propagation.status).toBe('applied');
    expect(strict).toMatchObject({ confirmed: false, confirmed_nodes: ['n1', 'n2'] });
  });

  it('lets go of every wait when the process shuts down', async () => {
    const world = new World();
    world.onPublish = () => setImmediate(() => world.acks.close());
    const { propagation } = await world.service.announce(removal(true));
    expect(propagation).toMatchObject({ status: 'deferred' });
  });
});
