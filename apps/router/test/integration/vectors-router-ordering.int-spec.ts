import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { hashKey, type Circuit } from '@penstock/protocol';
import { eventually } from '@penstock/testkit';
import { apiKey, publication } from '../../src/features/snapshot/testing/wire-builders.js';
import { hostCall } from '../../src/testing/host-client.js';
import { ScriptedUpstream } from '../../src/testing/scripted-upstream.js';
import { RunningWorker } from '../support/running-worker.js';
import type { ScriptedCoordinator } from '../support/scripted-coordinator.js';
import { loadVectors, numbered, vectorCircuit } from '../support/vectors.js';

interface Case {
  readonly name: string;
  readonly steps: readonly { readonly input: string }[];
}

const { cases } = loadVectors<{ readonly cases: readonly Case[] }>('ordering');
const KEY = 'sk-test-of-the-ordering';
const ENDPOINT = numbered(1).endpoint_id ?? '';
/** Pulls follow each other closely, so that what an event missed or a stale answer brought shows at once. */
const PULLING = { reconcile_interval_ms: 100 };

let upstreams: readonly [ScriptedUpstream, ScriptedUpstream];
let worker: RunningWorker;

const model = (name: string) => publication(name, { [ENDPOINT]: 1 });
const key = () => apiKey('k', { token_hash: hashKey(KEY), allowed_models: ['m', 'n'] });

/** The circuit of endpoint A with one route to each of the first so many replicas. */
function c1(routes = 1): Circuit {
  const [route] = vectorCircuit(1).route_info;
  if (route === undefined) throw new Error('no route');
  const route_info = upstreams.slice(0, routes).map(({ port }, index) => ({
    ...{ ...route, kernel_host: '127.0.0.1', traffic_ratio: 1 },
    ...{ kernel_port: port, route_id: numbered(50 + index).id, session_id: numbered(60 + index).id },
  }));
  return vectorCircuit(1, { ...numbered(1), subdomain: null, frontend_mode: 'router', route_info });
}

const authorised = { authorization: `Bearer ${KEY}` };
const chat = (name = 'm') =>
  hostCall(worker.port, {
    path: '/v1/chat/completions',
    headers: authorised,
    body: JSON.stringify({ model: name, messages: [] }),
  });

/** Names that are listed; null when the key is refused. */
async function listed(): Promise<readonly string[] | null> {
  const answer = await hostCall(worker.port, { headers: authorised });
  if (answer.status === 401) return null;
  const { data } = JSON.parse(answer.text) as { readonly data: readonly { readonly id: string }[] };
  return data.map(({ id }) => id);
}

const event = (name: string, fields: Readonly<Record<string, unknown>>) =>
  worker.publish(worker.message(`appproxy_${name}_event`, fields));
const revision = async () => (await worker.router.status()).revision;

/** The next pull of that part is answered when the test says so, with what was true when it was asked. */
function hold(suffix: string): { readonly asked: Promise<void>; readonly release: () => void } {
  let release = (): void => undefined;
  let heard = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const asked = new Promise<void>((resolve) => (heard = resolve));
  worker.coordinator.script = (call) => {
    if (call.method !== 'GET' || !call.path.endsWith(suffix)) return undefined;
    worker.coordinator.script = () => undefined;
    heard();
    return held;
  };
  return { asked, release };
}

type Prepare = (coordinator: ScriptedCoordinator) => void;
const start = async (prepare: Prepare, config: object = {}) =>
  (worker = await RunningWorker.start('router', { ...config }, (coordinator) => {
    coordinator.keys.set('k', key());
    prepare(coordinator);
  }));

const nextAck = (act: () => Promise<unknown>) => worker.acknowledged(act);

const scenarios: Readonly<Record<string, () => Promise<void>>> = {
  'circuit-before-publication': async () => {
    await start(({ circuits }) => circuits.set('c1', c1()));
    expect((await chat()).code).toBe('model_not_found');
    expect(await nextAck(() => event('router_model_updated', { model: model('m') }))).toContain(
      'model_updated',
    );
    expect((await chat()).status).toBe(200);
  },
  'publication-before-circuit': async () => {
    await start(() => undefined);
    await nextAck(() => event('router_model_updated', { model: model('m') }));
    expect(await listed()).toEqual(['m']);
    expect((await chat()).code).toBe('model_unavailable');
    expect(await worker.create(c1())).toContain(c1().id);
    expect((await chat()).status).toBe(200);
  },
  'missed-remove-healed-by-pull': async () => {
    const both: Prepare = ({ publications }) => publications.set('m', model('m')).set('n', model('n'));
    await start(both, PULLING);
    expect((await listed())?.toSorted()).toEqual(['m', 'n']);
    worker.coordinator.publications.delete('n');
    worker.coordinator.revision = 2;
    await eventually(async () => expect(await revision()).toBe('2'));
    expect(await listed()).toEqual(['m']);
  },
  'key-removed-then-stale-pull': async () => {
    await start(({ publications }) => publications.set('m', model('m')), PULLING);
    // A coordinator that answers in full what is known already.
    worker.coordinator.conditional = false;
    await removeKeyDuringPull();
  },
  'older-snapshot-with-a-new-revision': async () => {
    await start(({ publications }) => publications.set('m', model('m')), PULLING);
    worker.coordinator.revision = 2;
    await removeKeyDuringPull();
  },
  'route-event-during-circuit-pull': async () => {
    const serving: Prepare = ({ publications, circuits }) => {
      publications.set('m', model('m'));
      circuits.set('c1', c1());
    };
    await start(serving, PULLING);
    const pull = hold('/circuits');
    await pull.asked;
    await event('circuit_route_updated', { circuit: c1(2), routes: c1(2).route_info });
    await secondReplicaCalled();
    worker.coordinator.circuits.set('c1', c1(2));
    const pulls = worker.coordinator.callsOf('GET', '/circuits').length;
    pull.release();
    await eventually(() =>
      expect(worker.coordinator.callsOf('GET', '/circuits').length).toBeGreaterThan(pulls),
    );
    await secondReplicaCalled();
  },
  'key-updated-is-only-a-hint': async () => {
    await start(({ keys }) => keys.clear());
    expect(await listed()).toBeNull();
    worker.coordinator.keys.set('k', key());
    worker.coordinator.revision = 2;
    expect(await nextAck(() => event('router_key_updated', { key_id: 'k' }))).toContain('key_updated');
    expect(await listed()).toEqual([]);
  },
  'route-update-for-unknown-circuit': async () => {
    await start(({ publications }) => publications.set('m', model('m')));
    await event('circuit_route_updated', { circuit: c1(), routes: c1().route_info });
    await eventually(async () => expect((await chat()).status).toBe(200));
  },
  'foreign-authority': async () => {
    await start(({ publications }) => publications.set('m', model('m')));
    const text = worker.message('appproxy_router_key_removed_event', { key_id: 'k' });
    expect(await worker.acksOf(text.replaceAll(worker.authority, 'another'), c1())).toEqual([]);
    expect(await listed()).toEqual(['m']);
  },
  'snapshot-304-keeps-state': async () => {
    await start(({ publications, circuits }) => {
      publications.set('m', model('m'));
      circuits.set('c1', c1());
    }, PULLING);
    const pulls = () => worker.coordinator.callsOf('GET', '/router-config').length;
    const before = pulls();
    await eventually(() => expect(pulls()).toBeGreaterThan(before + 2));
    expect((await chat()).status).toBe(200);
  },
  'removed-circuit-drains': async () => {
    await start(({ publications }) => publications.set('m', model('m')));
    await worker.create(c1());
    const finish: (() => void)[] = [];
    upstreams[0].script = ({ method }, response) => {
      // What is asked about models, or before the removal has been heard, is answered at once.
      if (method === 'GET' || finish.length === 2) return void response.end('{}');
      finish.push(() => response.end('{}'));
    };
    const running = [chat(), chat()];
    await eventually(() => expect(finish).toHaveLength(2));
    await event('circuit_removed', { circuits: [c1()] });
    await eventually(async () => expect((await chat()).code).toBe('model_unavailable'));
    for (const end of finish) end();
    for (const answer of await Promise.all(running)) expect(answer.status).toBe(200);
  },
};

/** A pull that asked before the removal is answered after it, with the key still in it. */
async function removeKeyDuringPull(): Promise<void> {
  expect(await listed()).toEqual(['m']);
  const pull = hold('/router-config');
  await pull.asked;
  expect(await nextAck(() => event('router_key_removed', { key_id: 'k' }))).toContain('key_removed');
  expect(await listed()).toBeNull();
  worker.coordinator.keys.delete('k');
  worker.coordinator.revision = 3;
  pull.release();
  await eventually(async () => {
    expect(await listed()).toBeNull();
    expect(await revision()).toBe('3');
  });
  expect(await listed()).toBeNull();
}

async function secondReplicaCalled(): Promise<void> {
  const before = upstreams[1].calls.length;
  await eventually(async () => {
    await chat();
    expect(upstreams[1].calls.length).toBeGreaterThan(before);
  });
}

describe('events and pulls in any order, at a running router', () => {
  beforeAll(async () => {
    upstreams = [await new ScriptedUpstream().listen(), await new ScriptedUpstream().listen()];
  });

  afterEach(() => worker.stop());
  afterAll(() => Promise.all(upstreams.map((upstream) => upstream.close())));

  it.each(cases)('$name', async ({ name }) => {
    const scenario = scenarios[name];
    if (scenario === undefined) throw new Error('no scenario');
    await scenario();
  });
});
