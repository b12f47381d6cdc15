import { decodeEnvelope, EVENT_NAMES } from '@penstock/protocol';
import { expectAnswer, expectMatch, expectStatus, insist } from '../../checking/expect.js';
import { at, copy, isObject, listAt, parseJson, put, textAt } from '../../checking/json.js';
import { answers, messages } from '../../mutation/mutation.js';
import type { CoordinatorBench } from '../coordinator-bench.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { route } from './routes.checks.js';

const CREATED = EVENT_NAMES.circuitCreated;
const UPDATED = EVENT_NAMES.circuitRouteUpdated;
const REMOVED = EVENT_NAMES.circuitRemoved;
const REPLACE = '/v2/endpoints/bulk/routes';

export const EVENT_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'events.created',
    section: '4.2',
    title: 'announces a new circuit to its authority, as the pull shows it',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      await bench.endpoint(worker, { serviceName: 'announced' });
      const circuit = await bench.circuit(worker);
      const { payload } = await worker.event(CREATED);
      expectMatch(
        payload,
        { target_worker_authority: worker.authority, circuits: [isObject(circuit) ? circuit : {}] },
        'the event',
      );
    },
    mutation: messages('announces another label', CREATED, ({ payload }) => {
      if (textAt(payload, 'circuits.0.app') === 'announced') put(payload, 'circuits.0.subdomain', 'other');
    }),
  },
  {
    id: 'events.created-each',
    section: '4.2',
    title: 'announces every circuit of a bulk creation',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const items = [1, 2, 3].map((n) => bench.item({ serviceName: 'each', existingUrl: worker.urlFor(n) }));
      expectStatus(await bench.call('POST', '/v2/endpoints/bulk', { endpoints: items }), 200);
      const announced = worker.heard(CREATED).flatMap(({ payload }) => listAt(payload, 'circuits'));
      insist(announced.length === 3, `${announced.length} circuits of three were announced`);
    },
    mutation: messages('announces one twice', CREATED, ({ payload }) => {
      const [circuit] = listAt(payload, 'circuits');
      if (circuit && textAt(circuit, 'app') === 'each') listAt(payload, 'circuits').push(copy(circuit));
    }),
  },
  {
    id: 'events.envelope-json',
    section: '4.1',
    title: 'writes named fields as a JSON text, with name, source and metadata as texts',
    needs: ['bus'],
    run: async (bench) => {
      const { envelope } = await createdEvent(bench, 'json-form');
      for (const key of ['name', 'source', 'payload', 'metadata'])
        insist(typeof envelope[key] === 'string', `${key} is ${typeof envelope[key]} instead of text`);
      insist(envelope['source'] === 'appproxy-coordinator', `source is ${textAt(envelope, 'source')}`);
      insist(isObject(parseJson(textAt(envelope, 'metadata'))), 'metadata is no JSON object');
    },
    mutation: messages('gives another source', CREATED, ({ payload, envelope }) => {
      if (textAt(payload, 'circuits.0.app') === 'json-form') envelope['source'] = 'somebody';
    }),
  },
  {
    id: 'events.envelope-tuple',
    section: '4.1',
    title: 'can be read by releases up to 26.8: args beside payload, two keys of metadata',
    needs: ['bus'],
    run: async (bench) => {
      const { envelope, payload } = await createdEvent(bench, 'tuple-form');
      const { payload: _, ...tuple } = envelope;
      const decoded = decodeEnvelope(JSON.stringify(tuple));
      insist(decoded.ok, decoded.ok ? '' : `args cannot be read: ${decoded.reason}`);
      insist(
        decoded.event.authority === textAt(payload, 'target_worker_authority'),
        'args names another authority',
      );
      const keys = Object.keys(parseJson(textAt(envelope, 'metadata')) ?? {});
      insist(
        keys.every((key) => ['request_id', 'user'].includes(key)),
        `metadata has the keys ${keys.join()}`,
      );
    },
    mutation: messages('has no args', CREATED, ({ payload, envelope }) => {
      if (textAt(payload, 'circuits.0.app') === 'tuple-form') delete envelope['args'];
    }),
  },
  ...(['tuple', 'json', 'dual'] as const).map(acknowledgementCheck),
  {
    id: 'events.ack-awaited',
    section: '4.2',
    title: 'answers a creation only after the acknowledgement',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      worker.acknowledging = 'never';
      const item = bench.item({ serviceName: 'held', existingUrl: worker.urlFor(1) });
      let answered = false;
      const creation = inBackground(bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] }));
      void creation.finally(() => (answered = true)).catch(() => undefined);
      const event = await worker.event(CREATED);
      const early = await bench.call('GET', `/api/worker/${worker.id}/circuits`);
      insist(!answered, 'it was answered before the acknowledgement');
      insist(listAt(early.json, 'circuits').length === 1, 'the circuit is announced before it can be pulled');
      await worker.acknowledge(event);
      expectStatus(await creation, 200);
    },
    mutation: answers('hides what it announces', 'GET /api/worker/:id/circuits', ({ body }) => {
      if (textAt(body, 'circuits.0.app') === 'held') put(body, 'circuits', []);
    }),
  },
  {
    id: 'events.routes',
    section: '4.2',
    title: 'announces a new table with the whole of its routes',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { id } = await bench.endpoint(worker);
      const routes = [route(31_001), route(31_002)];
      await bench.call('POST', REPLACE, { endpoints: [{ deployment_id: id, routes }] });
      const { payload } = await worker.event(UPDATED);
      expectMatch(
        payload,
        { target_worker_authority: worker.authority, circuit: { endpoint_id: id }, routes },
        'the event',
      );
    },
    mutation: messages('announces the first route only', UPDATED, ({ payload }) => {
      if (at(payload, 'routes.0.kernel_port') === 31_001) listAt(payload, 'routes').pop();
    }),
  },
  {
    id: 'events.routes-circuit',
    section: '4.2',
    title: 'carries the same routes in the circuit of a route update',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { id } = await bench.endpoint(worker);
      const routes = [route(31_011)];
      await bench.call('POST', `${REPLACE}/register`, { endpoints: [{ deployment_id: id, routes }] });
      expectMatch((await worker.event(UPDATED)).payload, { circuit: { route_info: routes } }, 'the event');
    },
    mutation: messages('leaves the circuit as it was', UPDATED, ({ payload }) => {
      if (at(payload, 'routes.0.kernel_port') === 31_011) put(payload, 'circuit.route_info', []);
    }),
  },
  {
    id: 'events.routes-unregistered',
    section: '4.2',
    title: 'announces what is left after a removal of routes',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { id } = await bench.endpoint(worker, { serviceName: 'shrunk' });
      const [stays, goes] = [route(31_021), route(31_022)];
      await bench.call('POST', REPLACE, { endpoints: [{ deployment_id: id, routes: [stays, goes] }] });
      const item = { deployment_id: id, route_ids: [textAt(goes, 'route_id')] };
      await bench.call('POST', `${REPLACE}/unregister`, { endpoints: [item] });
      expectMatch((await worker.event(UPDATED, 1)).payload, { routes: [stays] }, 'the second event');
    },
    mutation: messages('announces none', UPDATED, ({ payload }) => {
      if (textAt(payload, 'circuit.app') === 'shrunk' && listAt(payload, 'routes').length === 1)
        put(payload, 'routes', []);
    }),
  },
  {
    id: 'events.removed',
    section: '4.2',
    title: 'announces the removal of a circuit with its endpoint',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { id } = await bench.endpoint(worker, { serviceName: 'taken-away' });
      const circuitId = textAt(await bench.circuit(worker), 'id');
      await bench.call('DELETE', '/v2/endpoints/bulk', { endpoints: [{ deployment_id: id }] });
      expectMatch((await worker.event(REMOVED)).payload, { circuits: [{ id: circuitId }] }, 'the event');
    },
    mutation: messages('names no circuit', REMOVED, ({ payload }) => {
      if (textAt(payload, 'circuits.0.app') === 'taken-away') put(payload, 'circuits', []);
    }),
  },
  {
    id: 'events.removed-circuit',
    section: '4.2',
    title: 'announces the removal of a circuit deleted by its id',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      await bench.endpoint(worker, { serviceName: 'cut' });
      const circuitId = textAt(await bench.circuit(worker), 'id');
      await bench.call('DELETE', `/api/circuit/${circuitId}`);
      expectMatch((await worker.event(REMOVED)).payload, { circuits: [{ id: circuitId }] }, 'the event');
    },
    mutation: messages('names no circuit', REMOVED, ({ payload }) => {
      if (textAt(payload, 'circuits.0.app') === 'cut') put(payload, 'circuits', []);
    }),
  },
  {
    id: 'events.not-acknowledged',
    section: '4.2',
    title: 'answers 503 E10001 naming the worker when nobody acknowledges',
    needs: ['bus', 'slow'],
    deadlineMs: 25_000,
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      worker.acknowledging = 'never';
      const item = bench.item({ serviceName: 'unheard', existingUrl: worker.urlFor(1) });
      const answer = await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] });
      expectAnswer(answer, 503, {
        msg: 'E10001: Proxy worker not responding',
        data: { worker: worker.authority },
      });
    },
    mutation: answers('names nobody', 'POST /v2/endpoints/bulk', ({ body, status, sent }) => {
      if (status === 503 && textAt(sent, 'endpoints.0.service_name') === 'unheard') put(body, 'data', {});
    }),
  },
  {
    id: 'events.announced-again',
    section: '4.2',
    title: 'announces an unacknowledged circuit again when its creation is repeated',
    needs: ['bus', 'slow'],
    deadlineMs: 40_000,
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      worker.acknowledging = 'never';
      const item = bench.item({ serviceName: 'unheard-twice', existingUrl: worker.urlFor(1) });
      await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] });
      worker.acknowledging = 'at once';
      expectStatus(await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] }), 200);
      insist(worker.heard(CREATED).length >= 2, 'it was not announced again');
    },
    mutation: {
      fault: 'stays silent the second time',
      rewriter: () => {
        let heard = 0;
        return {
          message: (message) => {
            if (message.name !== CREATED || textAt(message.payload, 'circuits.0.app') !== 'unheard-twice')
              return;
            heard += 1;
            message.dropped = heard > 1;
          },
        };
      },
    },
  },
];

/** A call that is awaited later, or never when something else failed before. */
function inBackground<T>(call: Promise<T>): Promise<T> {
  call.catch(() => undefined);
  return call;
}

async function createdEvent(bench: CoordinatorBench, serviceName: string) {
  const worker = await bench.worker('wildcard');
  await bench.endpoint(worker, { serviceName });
  return worker.event(CREATED);
}

/** Acknowledgements of every generation of workers count. */
function acknowledgementCheck(mode: 'tuple' | 'json' | 'dual'): CoordinatorCheck {
  return {
    id: `events.ack-${mode}`,
    section: '4.1',
    title: `understands an acknowledgement in the ${mode} form`,
    needs: ['bus'],
    deadlineMs: 20_000,
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      worker.acknowledging = 'never';
      const item = bench.item({ serviceName: `ack-${mode}`, existingUrl: worker.urlFor(1) });
      const creation = inBackground(bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] }));
      await worker.acknowledge(await worker.event(CREATED), mode);
      expectStatus(await creation, 200);
    },
    mutation: answers('does not understand it', 'POST /v2/endpoints/bulk', (exchange) => {
      if (textAt(exchange.sent, 'endpoints.0.service_name') === `ack-${mode}`) exchange.status = 503;
    }),
  };
}
