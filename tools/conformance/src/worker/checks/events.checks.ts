import { EVENT_NAMES } from '@penstock/protocol';
import { expectMatch, expectStatus, insist } from '../../checking/expect.js';
import { at, isObject, listAt, parseJson, put, textAt } from '../../checking/json.js';
import { answers, type BusMessage, type Mutation } from '../../mutation/mutation.js';
import { publishCreated } from '../bus-events.js';
import { idOf } from '../circuit.js';
import { ADDRESSED, type WorkerCheck } from '../worker-check.js';

const ACK = EVENT_NAMES.workerCircuitAdded;
const QUIET_MS = 400;

/** A fault in the acknowledgement of the circuits of one check. */
function acks(fault: string, checkId: string, change: (message: BusMessage) => void): Mutation {
  const ours = (message: BusMessage): boolean =>
    message.name === ACK && textAt(message.payload, 'circuits.0.app') === `conformance-${checkId}`;
  return { fault, rewriter: () => ({ message: (message) => ours(message) && change(message) }) };
}

const common = { modes: ADDRESSED } as const;

export const EVENT_CHECKS: readonly WorkerCheck[] = [
  {
    ...common,
    id: 'events.acknowledged',
    section: '4.2',
    title: 'acknowledges a new circuit by its id, under its authority',
    run: async (bench) => {
      const circuit = bench.draft();
      const { payload } = await bench.create([circuit]);
      const expected = {
        target_worker_authority: bench.session.authority,
        circuits: [{ id: idOf(circuit) }],
      };
      expectMatch(payload, expected, 'the acknowledgement');
    },
    mutation: acks('acknowledges for somebody else', 'events.acknowledged', ({ payload }) => {
      put(payload, 'target_worker_authority', 'other');
    }),
  },
  {
    ...common,
    id: 'events.ack-envelope',
    section: '4.1',
    title: 'writes the acknowledgement with name, source, payload and metadata as texts',
    run: async (bench) => {
      const { envelope } = await bench.create([bench.draft()]);
      for (const key of ['name', 'source', 'payload', 'metadata'])
        insist(typeof envelope[key] === 'string', `${key} is ${typeof envelope[key]} instead of text`);
      insist(isObject(parseJson(textAt(envelope, 'metadata'))), 'metadata is no JSON object');
      insist(envelope['source'] === 'appproxy-worker', `source is ${textAt(envelope, 'source')}`);
    },
    mutation: acks('names another source', 'events.ack-envelope', ({ envelope }) => {
      envelope['source'] = 'somebody';
    }),
  },
  {
    ...common,
    id: 'events.acknowledged-together',
    section: '4.2',
    title: 'acknowledges all circuits of one event in one message',
    run: async (bench) => {
      const circuits = [bench.draft(), bench.draft()];
      const { payload } = await bench.create(circuits);
      insist(listAt(payload, 'circuits').length === 2, 'there are more or fewer circuits than two');
    },
    mutation: acks('acknowledges the first only', 'events.acknowledged-together', ({ payload }) => {
      listAt(payload, 'circuits').pop();
    }),
  },
  ...(['tuple', 'json', 'dual'] as const).map((mode): WorkerCheck => ({
    ...common,
    id: `events.envelope-${mode}`,
    section: '4.1',
    title: `understands the ${mode} form of the envelope`,
    run: async (bench) => void (await bench.create([bench.draft()], mode)),
    mutation: acks('does not', `events.envelope-${mode}`, (message) => {
      message.dropped = true;
    }),
  })),
  {
    ...common,
    id: 'events.other-authority',
    section: '4.2',
    title: 'ignores the circuits of another authority',
    run: async (bench) => {
      const { bus } = bench.session;
      const circuit = bench.draft({ open_to_public: true }, [await bench.replica()]);
      const ack = await bench.acknowledgement(
        [circuit],
        () => publishCreated(bus, 'somebody-else', [circuit]),
        QUIET_MS,
      );
      insist(!ack, 'it acknowledges them');
      const answer = await bench.request(circuit, 'GET', '/of-another');
      insist(answer.status === 404 || answer.status === 400, `it answers them with ${answer.status}`);
    },
    mutation: answers('serves them', 'GET /of-another', (exchange) => {
      exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'events.nonsense',
    section: '4.1',
    title: 'survives messages that are none',
    run: async (bench) => {
      const bad = ['nonsense', '[]', '{"name":"unknown","source":"x","payload":"{}","metadata":"{}"}'];
      const half = JSON.stringify({
        name: EVENT_NAMES.circuitCreated,
        source: 'x',
        payload: '{"circuits":[{}]}',
      });
      for (const text of [...bad, half]) await bench.session.bus.publish(text);
      await bench.create([bench.draft()]);
    },
    mutation: acks('is gone after that', 'events.nonsense', (message) => {
      message.dropped = true;
    }),
  },
  {
    ...common,
    id: 'events.acknowledged-when-applied',
    section: '4.2',
    title: 'serves a circuit as soon as it has acknowledged it',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      expectStatus(await bench.request(circuit, 'GET', '/at-once'), 200);
    },
    mutation: answers('needs a moment', 'GET /at-once', (exchange) => {
      exchange.status = 404;
    }),
  },
  {
    ...common,
    id: 'events.replaced',
    section: '4.2',
    title: 'replaces a circuit that is announced again',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const closed = { ...circuit, open_to_public: false };
      await bench.create([closed]);
      expectStatus(await bench.request(circuit, 'GET', '/replaced'), 401);
    },
    mutation: answers('keeps the first', 'GET /replaced', (exchange) => {
      exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'events.routes',
    section: '4.2',
    title: 'sends requests to the new routes after an update, and to no other',
    run: async (bench) => {
      const [one, two] = [await bench.replica('one'), await bench.replica('two')];
      const circuit = await bench.circuit({ open_to_public: true }, [one]);
      const ask = () => bench.request(circuit, 'GET', '/which');
      insist(textAt((await ask()).json, 'replica') === 'one', 'the first route is not used');
      await bench.route(circuit, [two]);
      await bench.until(ask, ({ json }) => at(json, 'replica') === 'two', 'the new route is not used');
      for (let times = 0; times < 5; times += 1)
        insist(textAt((await ask()).json, 'replica') === 'two', 'the old route is still used');
    },
    mutation: {
      fault: 'goes back to the old route',
      rewriter: () => {
        let seen = 0;
        return {
          answer: ({ path, body }) => {
            if (path === '/which' && at(body, 'replica') === 'two' && ++seen > 3) put(body, 'replica', 'one');
          },
        };
      },
    },
  },
  {
    ...common,
    id: 'events.no-routes',
    section: '2.6',
    title: 'answers 503 worker-not-available when a circuit has no routes',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      await bench.route(circuit, []);
      const answer = await bench.until(
        () => bench.request(circuit, 'GET', '/nobody'),
        ({ status }) => status !== 200,
        'routes stay',
      );
      expectStatus(answer, 503);
      expectMatch(
        answer.json,
        { title: 'Worker not available.', error_code: 'agent_access_not-found' },
        'the body',
      );
    },
    mutation: answers('answers 502', 'GET /nobody', (exchange) => {
      if (exchange.status === 503) exchange.status = 502;
    }),
  },
  {
    ...common,
    id: 'events.removed',
    section: '4.2',
    title: 'serves a circuit no longer after its removal',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      await bench.remove(circuit);
      const gone = ({ status }: { status: number }): boolean => status === 404 || status === 400;
      await bench.until(() => bench.request(circuit, 'GET', '/removed'), gone, 'it is still served');
    },
    mutation: answers('serves it for ever', 'GET /removed', (exchange) => {
      exchange.status = 200;
    }),
  },
];
