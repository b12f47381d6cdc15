import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@penstock/observability';
import { circuitSchema, EVENT_NAMES, type Circuit } from '@penstock/protocol';

import { AckRegistry } from './ack-registry.js';
import { CircuitAnnouncer } from './circuit-announcer.service.js';
import type { CircuitAck, CircuitVersion } from './domain/circuit-outcome.js';
import { FakeFleet } from './testing/fake-fleet.js';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const WORKER = { id: 'w', authority: 'r', legacyNodes: 0, frontendMode: 'router' };
const STOCK = { ...WORKER, frontendMode: 'wildcard' };
const REPORT = { report: true };

class World extends FakeFleet {
  readonly acks = new AckRegistry<CircuitAck>();
  readonly announcer: CircuitAnnouncer;
  /** Circuits that were remembered as acknowledged. */
  readonly remembered: CircuitVersion[] = [];

  constructor(ackTimeoutMs = 40) {
    super();
    const logger = createLogger({ service: 'test', level: 'silent' });
    const journal = {
      acknowledged: (circuits: readonly CircuitVersion[]) => {
        this.remembered.push(...circuits);
        return Promise.resolve();
      },
    };
    this.announcer = new CircuitAnnouncer(this, this.acks, this.liveness, journal, logger, ackTimeoutMs);
  }

  acknowledge(...circuits: CircuitAck['circuits']): void {
    this.acks.offer({ circuits });
  }

  /** One route update per version, reported on. */
  async update(
    circuit: Circuit,
    changed = true,
    options: { report: boolean; traceparent?: string } = REPORT,
  ) {
    const [outcome] = await this.announcer.routesUpdated(options, async (updates) => {
      await updates.announce({ worker: WORKER, circuit, changed });
      return [{ deployment_id: circuit.endpoint_id ?? '' }];
    });
    return outcome;
  }
}

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function circuit(n: number, version = 1): Circuit {
  const now = '2026-01-01T00:00:00Z';
  const fixed = { app: '', protocol: 'http', app_mode: 'inference', frontend_mode: 'router' };
  const empty = { envs: {}, arguments: null, open_to_public: false, route_info: [], session_ids: [] };
  const ids = { id: uuid(n), worker: uuid(99), endpoint_id: uuid(n) };
  return circuitSchema.parse({ ...fixed, ...empty, ...ids, version, created_at: now, updated_at: now });
}

describe('CircuitAnnouncer', () => {
  it('says of each new circuit whether a node has it', async () => {
    const world = new World();
    world.onPublish = () => world.acknowledge({ id: uuid(1), version: 1 });
    const outcomes = await world.announcer.created(
      [1, 2].map((n) => ({ worker: WORKER, circuit: circuit(n) })),
    );
    expect(outcomes.get(uuid(1))?.status).toBe('applied');
    expect(outcomes.get(uuid(2))).toMatchObject({ status: 'deferred', reason: 'awaiting_ack' });
  });

  it('remembers what was acknowledged, and nothing else', async () => {
    const world = new World();
    world.onPublish = () => world.acknowledge({ id: uuid(1), version: 1 });
    await world.announcer.created([1, 2].map((n) => ({ worker: WORKER, circuit: circuit(n) })));
    expect(world.remembered).toEqual([{ id: uuid(1), version: 1 }]);
  });

  it('tells a stock worker of all circuits, one by one, before it complains about one', async () => {
    const world = new World();
    const told: string[][] = [];
    world.onPublish = (event) => {
      if (event.name !== EVENT_NAMES.circuitCreated) return;
      told.push(event.circuits.map(({ id }) => id));
      if (told.length > 1) world.acknowledge(...event.circuits.map(({ id }) => ({ id, version: 1 })));
    };
    const hosted = [1, 2, 3].map((n) => ({ worker: STOCK, circuit: circuit(n) }));
    await expect(world.announcer.created(hosted)).rejects.toMatchObject({
      status: 503,
      msg: 'E10001: Proxy worker not responding',
      data: { worker: 'r' },
    });
    expect(told).toEqual([[uuid(1)], [uuid(2)], [uuid(3)]]);
    expect(world.remembered.map(({ id }) => id)).toEqual([uuid(2), uuid(3)]);
  });

  it('knows a stock ack of a circuit announced anew by its id', async () => {
    const world = new World();
    world.onPublish = () => world.acknowledge({ id: uuid(1), version: 1 });
    const outcomes = await world.announcer.created([{ worker: STOCK, circuit: circuit(1, 7) }]);
    expect(outcomes.get(uuid(1))?.status).toBe('applied');
  });

  it.each<[string, Partial<World>]>([
    ['nobody is alive', { live: [] }],
    ['the bus does not take the message', { sends: false }],
  ])('fails for a stock worker at once when %s', async (_when, state) => {
    const world = Object.assign(new World(60_000), state);
    await expect(world.announcer.created([{ worker: STOCK, circuit: circuit(1) }])).rejects.toMatchObject({
      status: 503,
    });
  });

  it('lets a circuit that was there before wait for a worker that is away', async () => {
    const world = Object.assign(new World(60_000), { live: [] });
    const outcomes = await world.announcer.created([{ worker: STOCK, circuit: circuit(1), known: true }]);
    expect(outcomes.get(uuid(1))).toMatchObject({ status: 'deferred', reason: 'no_live_node' });
    expect(world.remembered).toEqual([]);
  });

  it.each<[string, Partial<World>, string]>([
    ['nobody is alive', { live: [] }, 'no_live_node'],
    ['the bus does not take the message', { sends: false }, 'bus_unavailable'],
    ['acks cannot be heard', { connected: false }, 'bus_unavailable'],
  ])('does not wait when %s, and says so', async (_when, state, reason) => {
    const world = Object.assign(new World(), state);
    const deferred = { status: 'deferred', reason, waited_ms: 0 };
    const outcomes = await world.announcer.created([{ worker: WORKER, circuit: circuit(1) }]);
    expect(outcomes.get(uuid(1))).toEqual(deferred);
    expect((await world.update(circuit(1, 2)))?.propagation).toEqual(deferred);
  });

  it('calls a route update applied once a node acknowledged this version', async () => {
    const world = new World();
    world.onPublish = () => world.acknowledge({ id: uuid(1), version: 3 });
    expect((await world.update(circuit(1, 3)))?.propagation).toMatchObject({ status: 'applied' });
    expect((await world.update(circuit(1, 4)))?.propagation).toMatchObject({
      status: 'deferred',
      reason: 'awaiting_ack',
    });
  });

  it('announces routes that did not change, and waits for nobody', async () => {
    const world = new World();
    const heard: string[] = [];
    world.onPublish = (event) => heard.push(event.name);
    expect(await world.update(circuit(1, 2), false)).toMatchObject({
      propagation: { status: 'unchanged', waited_ms: 0 },
    });
    expect(heard).toEqual([EVENT_NAMES.circuitRouteUpdated]);
  });

  it('reports the change of an endpoint that is named twice in one call', async () => {
    const world = new World();
    world.onPublish = () => world.acknowledge({ id: uuid(1), version: 2 });
    const outcomes = await world.announcer.routesUpdated(REPORT, async (updates) => {
      await updates.announce({ worker: WORKER, circuit: circuit(1, 2), changed: true });
      await updates.announce({ worker: WORKER, circuit: circuit(1, 2), changed: false });
      return [{ deployment_id: uuid(1) }, { deployment_id: uuid(1) }, { deployment_id: uuid(7) }];
    });
    expect(outcomes.map(({ propagation }) => propagation?.status)).toEqual(['applied', 'applied', undefined]);
  });

  it('neither waits nor reports where nobody asked', async () => {
    const world = new World(60_000);
    const startedAt = performance.now();
    expect(await world.update(circuit(1, 2), true, { report: false })).not.toHaveProperty('propagation');
    const removed = [{ worker: WORKER, circuit: circuit(1, 3) }];
    expect(await world.announcer.removed(removed, { report: false })).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  });

  it('never calls a removal applied, because nobody acknowledges it', async () => {
    const world = new World();
    const removed = [{ worker: WORKER, circuit: circuit(1, 3) }];
    expect(await world.announcer.removed(removed, REPORT)).toMatchObject({
      status: 'deferred',
      reason: 'announced',
    });
    world.sends = false;
    expect(await world.announcer.removed(removed, REPORT)).toMatchObject({ reason: 'bus_unavailable' });
    expect(await world.announcer.removed([], REPORT)).toEqual({ status: 'unchanged', waited_ms: 0 });
  });

  it('hands the trace context of the request on with every circuit event', async () => {
    const world = new World();
    world.live = [];
    await world.announcer.created([{ worker: WORKER, circuit: circuit(1) }], TRACEPARENT);
    await world.update(circuit(1, 2), true, { report: false, traceparent: TRACEPARENT });
    const removed = [{ worker: WORKER, circuit: circuit(1, 3) }];
    await world.announcer.removed(removed, { report: false, traceparent: TRACEPARENT });
    expect(world.traces).toEqual([TRACEPARENT, TRACEPARENT, TRACEPARENT]);
  });
});
