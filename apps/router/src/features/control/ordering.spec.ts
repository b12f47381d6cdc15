import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Circuit, RouterConfig } from '@penstock/protocol';
import { apiKey, circuit, publication, route } from '../snapshot/testing/wire-builders.js';
import { RouterEventConsumer } from './router-event.consumer.js';
import { events, halves, pulledConfig, StateHarness } from './testing/state-harness.js';
import type { PullTicket } from './desired-state.store.js';

interface Step {
  readonly input: string;
  readonly routable?: readonly string[];
  readonly listed?: readonly string[];
  readonly keys?: readonly string[];
  readonly routes?: readonly string[];
  readonly rev?: string;
  readonly ack?: string;
}

interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
}

const FIXTURE = new URL('../../../../../packages/protocol/fixtures/ordering.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as { readonly cases: readonly Case[] };

const config = (
  revision: string,
  models: readonly string[] = [],
  keys: readonly string[] = [],
): RouterConfig => ({
  revision,
  models: models.map((model) => publication(model, { A: 1 })),
  api_keys: keys.map((id) => apiKey(id)),
});

const c1 = (...routes: string[]): Circuit =>
  circuit('c1', 'A', { route_info: (routes.length ? routes : ['r1']).map((id) => route(id)) });

/** `revisioned`: events of our coordinators; otherwise those of peers that know no per-event revision. */
type Script = (world: StateHarness, rev: (revision: string) => string | undefined) => readonly (() => void)[];

/** One function per step of the case of that name. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  'circuit-before-publication': (world, rev) => [
    () => world.pull(halves([c1()], config('10'))),
    () => world.receive(events.modelUpdated(publication('m', { A: 1 }), rev('11'))),
  ],
  'publication-before-circuit': (world, rev) => [
    () => {
      world.pull(halves([], config('10')));
      world.receive(events.modelUpdated(publication('m', { A: 1 }), rev('11')));
    },
    () => world.receive(events.circuitCreated(c1())),
  ],
  'missed-remove-healed-by-pull': (world) => [
    () => world.pull(halves([], config('10', ['m', 'n']))),
    () => undefined,
    () => world.pull(halves([], config('11', ['m']))),
  ],
  'key-removed-then-stale-pull': (world, rev) => {
    let stale: PullTicket;
    return [
      () => world.pull(halves([], config('10', [], ['k']))),
      () => {
        stale = world.begin();
        world.receive(events.keyRemoved('k', rev('11')));
      },
      () => world.answer(stale, halves([], config('10', [], ['k']))),
      () => world.pull(halves([], config('11'))),
    ];
  },
  'older-snapshot-with-a-new-revision': (world, rev) => {
    let p1: PullTicket;
    return [
      () => world.pull(halves([], config('10', [], ['k']))),
      () => (p1 = world.begin()),
      () => world.receive(events.keyRemoved('k', rev('12'))),
      () => world.answer(p1, halves([], config('11', [], ['k']))),
      () => world.pull(halves([], config('12'))),
    ];
  },
  'route-event-during-circuit-pull': (world) => {
    let pull: PullTicket;
    return [
      () => world.pull(halves([c1('r1')], config('10'))),
      () => (pull = world.begin()),
      () => world.receive(events.routesUpdated(c1(), [route('r1'), route('r2')])),
      () => world.answer(pull, halves([c1('r1')], null)),
    ];
  },
  'key-updated-is-only-a-hint': (world, rev) => [
    () => {
      world.pull(halves([], config('10')));
      world.receive(events.keyUpdated('k', rev('11')));
      expect(world.pullRequests).toEqual(['config']);
      expect(world.acknowledged).toEqual([]);
      world.pull({ circuits: null, config: pulledConfig(config('11', [], ['k'])) });
      expect(world.keys).toEqual(['k']);
      expect(world.acknowledged).toEqual(['key_updated[k]']);
    },
  ],
  'route-update-for-unknown-circuit': (world) => [
    () => {
      world.pull(halves([], config('10', ['m'])));
      world.receive(events.routesUpdated(circuit('c9', 'A', { route_info: [] }), [route('r9')]));
      expect(world.routable).toEqual(['m']);
    },
  ],
  'foreign-authority': (world) => [
    () => {
      world.pull(halves([], config('10', [], ['k'])));
      const metrics = { received: () => undefined } as never;
      const { store: state } = world;
      const consumer = new RouterEventConsumer({ authority: 'another', mode: 'router', state, metrics });
      consumer.consume(events.keyRemoved('k'), {});
      expect(world.keys).toEqual(['k']);
      expect(world.acknowledged).toEqual([]);
    },
  ],
  'snapshot-304-keeps-state': (world) => [
    () => {
      world.pull(halves([c1()], config('10', ['m'], ['k'])));
      const before = world.snapshots.current();
      world.pull(halves([c1()], null));
      expect(world.snapshots.current()).toBe(before);
    },
  ],
  'removed-circuit-drains': (world) => [
    () => {
      world.pull(halves([c1()], config('10', ['m'])));
      const held = world.snapshots.current();
      world.receive(events.circuitRemoved(c1()));
      expect(world.routable).toEqual([]);
      // Requests that run keep the snapshot they started with.
      expect(held?.modelsByName.get('m')?.endpoints[0]?.endpoint?.circuitId).toBe('c1');
    },
  ],
};

describe.each([
  ['events with revisions', (revision: string) => revision],
  ['events without', () => undefined],
])('%s', (_name, rev) => {
  it.each(cases)('$name', ({ name, steps }) => {
    const world = new StateHarness();
    const script = SCRIPTS[name]?.(world, rev) ?? [];
    expect(script).toHaveLength(steps.length);
    steps.forEach((step, index) => {
      const acksBefore = world.acknowledged.length;
      script[index]?.();
      expectStep(world, step, world.acknowledged.slice(acksBefore));
    });
  });
});

function expectStep(world: StateHarness, step: Step, acks: readonly string[]): void {
  if (step.routable) expect(world.routable).toEqual(step.routable);
  if (step.listed) expect(world.listed).toEqual(step.listed);
  if (step.keys) expect(world.keys).toEqual(step.keys);
  if (step.routes) expect(world.routes).toEqual(step.routes);
  if (step.rev) expect(world.store.current.revision).toBe(step.rev);
  if (step.ack) expect(acks.join()).toContain(step.ack);
}
