import { aText, aUuid, expectAnswer, expectStatus, insist } from '../../checking/expect.js';
import { listAt, put, textAt } from '../../checking/json.js';
import { answers, setField } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';

const at = (authority: string, inUse?: boolean): string =>
  `/api/slots?wsproxy_host=${encodeURIComponent(authority)}${inUse === undefined ? '' : `&in_use=${String(inUse)}`}`;

export const SLOT_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'slots.port-range',
    section: '1.11',
    title: 'lists the whole range of a PORT worker with in_use=false',
    run: async (bench) => {
      const { authority } = await bench.worker('interactive-port');
      const free = { frontend_mode: 'port', in_use: false, subdomain: null, circuit_id: null };
      const slots = [10_205, 10_206, 10_207].map((port) => ({ ...free, port }));
      expectAnswer(await bench.call('GET', at(authority, false)), 200, { slots });
    },
    mutation: answers('lists the ports as text', 'GET /api/slots', ({ body, query }) => {
      if (query.get('in_use') === 'false' && textAt(body, 'slots.0.frontend_mode') === 'port')
        put(body, 'slots.*.port', 'one');
    }),
  },
  {
    id: 'slots.in-use-default',
    section: '2',
    title: 'lists only the slots in use by default',
    run: async (bench) => {
      const { authority } = await bench.worker('interactive-port');
      expectAnswer(await bench.call('GET', at(authority)), 200, { slots: [] });
    },
    mutation: answers('lists all', 'GET /api/slots', (exchange) => {
      if (exchange.query.has('in_use') || listAt(exchange.body, 'slots').length > 0) return;
      setField(exchange, 'slots', [{ frontend_mode: 'port', in_use: false }]);
    }),
  },
  {
    id: 'slots.wildcard',
    section: '1.11',
    title: 'lists the occupied slots of a WILDCARD worker, and nothing else',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      await bench.endpoint(worker);
      const slot = {
        frontend_mode: 'wildcard',
        in_use: true,
        port: null,
        subdomain: aText,
        circuit_id: aUuid,
      };
      expectAnswer(await bench.call('GET', at(worker.authority, false)), 200, { slots: [slot] });
    },
    mutation: answers('does not tell whose they are', 'GET /api/slots', ({ body }) => {
      if (textAt(body, 'slots.0.frontend_mode') === 'wildcard') put(body, 'slots.*.circuit_id', null);
    }),
  },
  {
    id: 'slots.occupied-port',
    section: '1.11',
    title: 'shows the circuit that occupies a port',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('port');
      await bench.endpoint(worker, { existingUrl: worker.urlFor(2) });
      const slot = { frontend_mode: 'port', in_use: true, port: 10_206, circuit_id: aUuid };
      expectAnswer(await bench.call('GET', at(worker.authority)), 200, { slots: [slot] });
    },
    mutation: answers('does not tell whose they are', 'GET /api/slots', ({ body, query }) => {
      if (!query.has('in_use')) put(body, 'slots.*.circuit_id', null);
    }),
  },
  {
    id: 'slots.unknown-authority',
    section: '2',
    title: 'answers 404 for an unknown authority',
    run: async (bench) => expectStatus(await bench.call('GET', '/api/slots?wsproxy_host=nobody'), 404),
    mutation: answers('answers an empty list', 'GET /api/slots', (exchange) => {
      if (exchange.query.get('wsproxy_host') === 'nobody') exchange.status = 200;
    }),
  },
  {
    id: 'slots.occupied-count',
    section: '2.3',
    title: 'counts a circuit as an occupied slot, until it is gone',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('port');
      const { id } = await bench.endpoint(worker);
      expectAnswer(await bench.call('GET', `/api/worker/${worker.id}`), 200, { occupied_slots: 1 });
      await bench.call('DELETE', '/v2/endpoints/bulk', { endpoints: [{ deployment_id: id }] });
      expectAnswer(await bench.call('GET', `/api/worker/${worker.id}`), 200, { occupied_slots: 0 });
    },
    mutation: answers('counts nothing', 'GET /api/worker/:id', (exchange) => {
      if (textAt(exchange.body, 'frontend_mode') === 'port') setField(exchange, 'occupied_slots', 0);
    }),
  },
  {
    id: 'slots.released',
    section: '2.3',
    title: 'gives a port that became free to the next endpoint',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('port', { port_range: [21_001, 21_003] });
      const existingUrl = worker.urlFor(3);
      const { id } = await bench.endpoint(worker, { existingUrl });
      await bench.call('DELETE', `/v2/endpoints/${id}`);
      const next = await bench.endpoint(worker, { existingUrl });
      insist(
        next.url === `${existingUrl}/`,
        `the freed slot is ${existingUrl}, the endpoint got ${next.url}`,
      );
    },
    mutation: answers('gives another', 'POST /v2/endpoints/bulk', ({ body }) => {
      if (textAt(body, 'endpoints.0.url').endsWith(':21003/'))
        put(body, 'endpoints.0.url', 'http://other.test:1/');
    }),
  },
];
