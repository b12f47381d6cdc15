import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashKey, type Circuit } from '@penstock/protocol';
import { apiKey, publication } from '../../src/features/snapshot/testing/wire-builders.js';
import { hostCall } from '../../src/testing/host-client.js';
import { ScriptedUpstream } from '../../src/testing/scripted-upstream.js';
import { RunningWorker } from '../support/running-worker.js';
import { loadVectors, numbered, vectorCircuit } from '../support/vectors.js';

interface WireRoute {
  readonly route_id: string;
  readonly replica_group_id: string | null;
  readonly traffic_ratio: number | 'NaN';
  readonly healthy: boolean;
}

interface Case {
  readonly name: string;
  readonly publication: { readonly mappings: readonly { endpoint_id: string; ratio: number | 'NaN' }[] };
  readonly circuits: readonly {
    readonly endpoint_id: string;
    readonly replica_groups: Circuit['replica_groups'];
    readonly route_info: readonly WireRoute[];
  }[];
  readonly expected: {
    readonly available: boolean;
    readonly replica_share: Readonly<Record<string, number>>;
  };
}

const { hierarchical } = loadVectors<{ readonly hierarchical: readonly Case[] }>('weights');
const KEY = 'sk-test-of-the-weights';
const REQUESTS = 160;
/** A sample is this many standard deviations off once in millions of runs. */
const DEVIATIONS = 5.5;

/** Ids of the vectors are letters; the wire wants UUIDs. */
function uuid(name: string): string {
  return numbered(Number.parseInt(Buffer.from(name).toString('hex').slice(-10), 16) % 1e11).id;
}

/** JSON cannot say NaN; below zero means as much. */
function ratio(value: number | 'NaN'): number {
  return value === 'NaN' ? -1 : value;
}

describe('shares of replicas behind a running router', () => {
  const upstreams: ScriptedUpstream[] = [];
  let dead: number;

  beforeAll(async () => {
    for (let n = 0; n < 8; n += 1) upstreams.push(await new ScriptedUpstream().listen());
    const gone = await new ScriptedUpstream().listen();
    dead = gone.port;
    await gone.close();
  });

  afterAll(() => Promise.all(upstreams.map((upstream) => upstream.close())));

  it.each(hierarchical)('$name', async (example) => {
    const ports = new Map<string, number>();
    for (const { route_id, healthy } of example.circuits.flatMap(({ route_info }) => route_info)) {
      ports.set(route_id, healthy ? (upstreams[ports.size]?.port ?? 0) : dead);
    }
    const worker = await RunningWorker.start('router', {}, (coordinator) => {
      coordinator.keys.set('k', apiKey('k', { token_hash: hashKey(KEY) }));
      // A weight below zero is none: a coordinator does not let one through.
      const mappings = example.publication.mappings.map((mapping) => ({
        endpoint_id: uuid(mapping.endpoint_id),
        ratio: Math.max(0, ratio(mapping.ratio)),
      }));
      coordinator.publications.set('m', publication('m', {}, { mappings }));
      for (const circuit of example.circuits)
        coordinator.circuits.set(circuit.endpoint_id, wire(circuit, ports));
    });
    const send = () =>
      hostCall(worker.port, {
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${KEY}` },
        body: '{"model":"m","messages":[]}',
      });
    const batch = () => Promise.all(Array.from({ length: 20 }, send));
    // Dead replicas are found out before the count begins.
    for (let n = 0; n < 2; n += 1) await batch();
    const before = new Map(upstreams.map((upstream) => [upstream.port, upstream.calls.length]));
    const statuses = new Set<number>();
    for (let n = 0; n < REQUESTS; n += 20) {
      for (const { status } of await batch()) statuses.add(status);
    }
    await worker.stop();

    // Replicas that were found dead may still be tried when there is nobody else.
    const allowed = example.expected.available ? [200] : [502, 503];
    for (const status of statuses) expect(allowed).toContain(status);
    for (const [id, port] of ports) {
      const upstream = upstreams.find((candidate) => candidate.port === port);
      const calls = (upstream?.calls.length ?? 0) - (before.get(port) ?? 0);
      expectShare(id, calls, example.expected.replica_share[id] ?? 0);
    }
  });
});

function wire(circuit: Case['circuits'][number], ports: ReadonlyMap<string, number>): Circuit {
  const [route] = vectorCircuit(1).route_info;
  if (route === undefined) throw new Error('no route');
  const groups = circuit.replica_groups?.map((group) => ({ ...group, id: uuid(group.id) })) ?? null;
  const endpoint_id = uuid(circuit.endpoint_id);
  return vectorCircuit(1, {
    ...{ id: endpoint_id, endpoint_id, subdomain: null, frontend_mode: 'router', replica_groups: groups },
    route_info: circuit.route_info.map((entry) => ({
      ...route,
      route_id: uuid(entry.route_id),
      replica_group_id: entry.replica_group_id === null ? null : uuid(entry.replica_group_id),
      kernel_port: ports.get(entry.route_id) ?? 1,
      kernel_host: '127.0.0.1',
      traffic_ratio: ratio(entry.traffic_ratio),
    })),
  });
}

/** Nothing where nothing is due, and else the share within the noise of the sample. */
function expectShare(id: string, calls: number, share: number): void {
  const noise = DEVIATIONS * Math.sqrt(REQUESTS * share * (1 - share));
  expect({ id, calls, off: Math.abs(calls - share * REQUESTS) > noise }).toEqual({ id, calls, off: false });
}
