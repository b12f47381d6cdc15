import { afterEach, describe, expect, it } from '@jest/globals';
import { workerResponseSchema } from '@penstock/protocol';
import { eventually } from '@penstock/testkit';
import { RunningWorker } from '../support/running-worker.js';
import { loadVectors } from '../support/vectors.js';

interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly response: unknown;
}

const vectors = loadVectors<{
  readonly register: readonly Exchange[];
  readonly heartbeat: Exchange;
  readonly deregister: Exchange;
}>('registration');
/** What a node of ours says of itself beside the agreed fields. */
const OUR_OWN = ['address', 'version'];

function vector(name: string): Exchange {
  const found = vectors.register.find((exchange) => exchange.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
}

let worker: RunningWorker;

afterEach(() => worker.stop());

/** A path of the vectors with the worker's own ids. */
const ours = (path: string, nodeId: string) =>
  path
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=$|\?)/, worker.coordinator.workerId)
    .replace(/(?<=node_id=).*/, nodeId);

describe.each([
  ['router', 'router'],
  ['wildcard', 'stock-wildcard'],
] as const)('a worker in %s mode', (mode, name) => {
  it(`registers with the fields of ${name}, beats and leaves as the vectors do`, async () => {
    worker = await RunningWorker.start(mode);
    const { node_id: nodeId } = await worker.router.status();
    const { coordinator } = worker;
    const [registration] = coordinator.callsOf('PUT');
    const expected = vector(name);
    expect(registration?.path).toBe(expected.path);
    for (const header of Object.keys(expected.headers)) {
      expect(registration?.headers).toHaveProperty(header.toLowerCase());
    }
    const fields = Object.keys(registration?.body ?? {});
    expect(fields).toEqual(expect.arrayContaining(Object.keys(expected.body)));
    const known = Object.keys({ ...vector('router').body, ...expected.body });
    expect(fields.filter((field) => !known.includes(field)).toSorted()).toEqual(OUR_OWN);

    await eventually(() => expect(coordinator.callsOf('PATCH')).not.toEqual([]));
    const [beat] = coordinator.callsOf('PATCH');
    expect(beat?.path).toBe(ours(vectors.heartbeat.path, nodeId));
    expect(beat?.body).toMatchObject({ node_id: nodeId });

    await worker.router.stop();
    const left = coordinator.callsOf('DELETE')[0];
    expect(`${left?.path}?${left?.query.toString()}`).toBe(ours(vectors.deregister.path, nodeId));
  });
});

it.each(vectors.register)('a worker takes the answer to $name for a registration', async ({ response }) => {
  const { id } = workerResponseSchema.parse(response);
  worker = await RunningWorker.start('wildcard', {}, (coordinator) => {
    coordinator.workerId = id;
    coordinator.registered = response;
  });
  expect(worker.coordinator.callsOf('GET', `/api/worker/${id}/circuits`)).not.toEqual([]);
});
