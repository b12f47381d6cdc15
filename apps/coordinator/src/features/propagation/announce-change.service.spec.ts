import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@penstock/observability';
import { EVENT_NAMES, type AppProxyEvent } from '@penstock/protocol';

import { AssessLivenessService } from '../liveness/index.js';
import { AckRegistry } from './ack-registry.js';
import { AnnounceChangeService, type Announcement } from './announce-change.service.js';
import type { Ack } from './domain/ack.js';
import { PropagationMetrics } from './propagation-metrics.js';

const ACK_TIMEOUT_MS = 4_000;

/** A bus and a liveness store that do what a test tells them. */
class World {
  readonly acks = new AckRegistry<Ack>();
  live: string[] = ['n1', 'n2'];
  storeAnswers = true;
  connected = true;
  sends = true;
  onPublish: (event: AppProxyEvent) => void = () => undefined;

  readonly service = new AnnounceChangeService(
    this,
    this.acks,
    new AssessLivenessService(
      {
        beat: () => Promise.resolve(),
        forget: () => Promise.resolve(),
        acknowledged: () => Promise.resolve(),
        view: () => Promise.resolve(this.storeAnswers ? this.view() : null),
      },
      { sightings: () => Promise.resolve(this.view().sightings) },
      30,
    ),
    new PropagationMetrics(createMetrics({ service: 'test', processMetrics: false })),
    ACK_TIMEOUT_MS,
  );

  publish(event: AppProxyEvent): Promise<boolean> {
    if (this.sends) this.onPublish(event);
    return Promise.resolve(this.sends);
  }

  acknowledge(nodeId: string): void {
    this.acks.offer({ authority: 'r', nodeId, kind: 'key_removed', id: 'k', revision: '5' });
  }

  private view() {
    const sightings = this.live.map((nodeId) => ({ nodeId, ageSeconds: 1 }));
    return { sightings, metadata: new Map(), lastSeenAgeSeconds: 1 };
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
