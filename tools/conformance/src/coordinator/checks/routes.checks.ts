import { randomUUID } from 'node:crypto';
import { aText, expectAnswer, expectMatch, expectStatus, insist } from '../../checking/expect.js';
import { at, type JsonObject, listAt, put, textAt } from '../../checking/json.js';
import { answers } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';

const REPLACE = '/v2/endpoints/bulk/routes';
const REGISTER = '/v2/endpoints/bulk/routes/register';
const UNREGISTER = '/v2/endpoints/bulk/routes/unregister';
const NO_CIRCUIT = 'No circuit registered for this endpoint yet.';
const PULL = 'GET /api/worker/:id/circuits';

/** A route to a port that says which check it is of. */
export function route(kernelPort: number): JsonObject {
  return {
    session_id: randomUUID(),
    route_id: randomUUID(),
    kernel_host: '10.20.0.11',
    kernel_port: kernelPort,
  };
}

const idOf = (entry: JsonObject): string => textAt(entry, 'route_id');

export const ROUTE_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'routes.replace',
    section: '3.1',
    title: 'replaces the whole table',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { id } = await bench.endpoint(worker);
      for (const routes of [[route(30_001), route(30_002)], [route(30_003)]]) {
        const answer = await bench.call('POST', REPLACE, { endpoints: [{ deployment_id: id, routes }] });
        expectAnswer(answer, 200, { endpoints: [{ deployment_id: id, success: true, error: null }] });
      }
      const { json } = await bench.call('GET', `/api/worker/${worker.id}/circuits`);
      const ports = listAt(json, 'circuits.0.route_info').map((one) => at(one, 'kernel_port'));
      insist(JSON.stringify(ports) === '[30003]', `the table holds ${JSON.stringify(ports)}`);
    },
    mutation: answers('appends', PULL, ({ body }) => {
      const table = listAt(body, 'circuits.0.route_info');
      if (at(table, '0.kernel_port') === 30_003) table.unshift({ kernel_port: 30_001 });
    }),
  },
  {
    id: 'routes.fields',
    section: '1.3',
    title: 'hands over every field of a route',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { id } = await bench.endpoint(worker);
      const entry = route(30_011);
      await bench.call('POST', REPLACE, { endpoints: [{ deployment_id: id, routes: [entry] }] });
      const expected = { ...entry, session_name: null, protocol: 'http', traffic_ratio: 1 };
      expectMatch(await bench.circuit(worker), { route_info: [expected] }, 'the circuit');
    },
    mutation: answers('halves the traffic', PULL, ({ body }) => {
      if (at(body, 'circuits.0.route_info.0.kernel_port') === 30_011)
        put(body, 'circuits.0.route_info.0.traffic_ratio', 0.5);
    }),
  },
  {
    id: 'routes.empty-table',
    section: '3.1',
    title: 'accepts an empty table and keeps the circuit',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { id } = await bench.endpoint(worker, { serviceName: 'emptied' });
      for (const routes of [[route(30_021)], []])
        expectStatus(await bench.call('POST', REPLACE, { endpoints: [{ deployment_id: id, routes }] }), 200);
      expectMatch(await bench.circuit(worker), { endpoint_id: id, route_info: [] }, 'the circuit');
    },
    mutation: answers('drops the circuit', PULL, ({ body }) => {
      if (textAt(body, 'circuits.0.app') === 'emptied') put(body, 'circuits', []);
    }),
  },
  {
    id: 'routes.partial',
    section: '3.1',
    title: 'reports an endpoint without a circuit in its place, and serves the others',
    needs: ['bus'],
    run: async (bench) => {
      const { id } = await bench.endpoint(await bench.worker('wildcard'));
      const unknown = randomUUID();
      const endpoints = [unknown, id].map((one) => ({ deployment_id: one, routes: [route(30_031)] }));
      const answer = await bench.call('POST', REPLACE, { endpoints });
      const expected = [
        { deployment_id: unknown, success: false, error: NO_CIRCUIT },
        { deployment_id: id, success: true, error: null },
      ];
      expectAnswer(answer, 200, { endpoints: expected });
    },
    mutation: answers('fails all of them', `POST ${REPLACE}`, ({ body, sent }) => {
      if (at(sent, 'endpoints.1.routes.0.kernel_port') === 30_031) put(body, 'endpoints.1.success', false);
    }),
  },
  {
    id: 'routes.null-host',
    section: '3.1',
    title: 'refuses a route without kernel_host',
    needs: ['bus'],
    run: async (bench) => {
      const { id } = await bench.endpoint(await bench.worker('wildcard'));
      const routes = [{ ...route(30_041), kernel_host: null }];
      expectStatus(await bench.call('POST', REPLACE, { endpoints: [{ deployment_id: id, routes }] }), 400);
    },
    mutation: answers('dials itself', `POST ${REPLACE}`, (exchange) => {
      if (at(exchange.sent, 'endpoints.0.routes.0.kernel_host') === null) exchange.status = 200;
    }),
  },
  {
    id: 'routes.register',
    section: '3.1',
    title: 'appends routes and tells which were there already',
    needs: ['bus'],
    run: async (bench) => {
      const { id } = await bench.endpoint(await bench.worker('wildcard'));
      const [known, fresh] = [route(30_051), route(30_052)];
      await bench.call('POST', REPLACE, { endpoints: [{ deployment_id: id, routes: [known] }] });
      const answer = await bench.call('POST', REGISTER, {
        endpoints: [{ deployment_id: id, routes: [known, fresh] }],
      });
      const expected = { registered_route_ids: [idOf(fresh)], already_registered_route_ids: [idOf(known)] };
      expectAnswer(answer, 200, {
        endpoints: [{ deployment_id: id, success: true, error: null, ...expected }],
      });
    },
    mutation: answers('takes all for new', `POST ${REGISTER}`, ({ body }) => {
      if (at(body, 'endpoints.0.success') === true) put(body, 'endpoints.0.already_registered_route_ids', []);
    }),
  },
  {
    id: 'routes.register-unknown',
    section: '3.1',
    title: 'reports a registration for an endpoint without a circuit',
    run: async (bench) => {
      const id = randomUUID();
      const answer = await bench.call('POST', REGISTER, { endpoints: [{ deployment_id: id, routes: [] }] });
      const none = { registered_route_ids: [], already_registered_route_ids: [] };
      expectAnswer(answer, 200, {
        endpoints: [{ deployment_id: id, success: false, error: NO_CIRCUIT, ...none }],
      });
    },
    mutation: answers('succeeds', `POST ${REGISTER}`, ({ body }) => {
      if (at(body, 'endpoints.0.success') === false) put(body, 'endpoints.0.success', true);
    }),
  },
  {
    id: 'routes.unregister',
    section: '3.1',
    title: 'removes routes and tells which were absent already',
    needs: ['bus'],
    run: async (bench) => {
      const { id } = await bench.endpoint(await bench.worker('wildcard'));
      const [known, absent] = [route(30_061), randomUUID()];
      await bench.call('POST', REPLACE, { endpoints: [{ deployment_id: id, routes: [known] }] });
      const route_ids = [idOf(known), absent];
      const answer = await bench.call('POST', UNREGISTER, { endpoints: [{ deployment_id: id, route_ids }] });
      const expected = { unregistered_route_ids: [idOf(known)], already_absent_route_ids: [absent] };
      expectAnswer(answer, 200, {
        endpoints: [{ deployment_id: id, success: true, error: null, ...expected }],
      });
    },
    mutation: answers('takes all for removed', `POST ${UNREGISTER}`, ({ body }) => {
      if (at(body, 'endpoints.0.success') === true) put(body, 'endpoints.0.already_absent_route_ids', []);
    }),
  },
  {
    id: 'routes.unregister-unknown',
    section: '3.1',
    title: 'reports a removal for an endpoint without a circuit',
    run: async (bench) => {
      const id = randomUUID();
      const answer = await bench.call('POST', UNREGISTER, {
        endpoints: [{ deployment_id: id, route_ids: [] }],
      });
      expectAnswer(answer, 200, { endpoints: [{ deployment_id: id, success: false, error: aText }] });
    },
    mutation: answers('succeeds', `POST ${UNREGISTER}`, ({ body }) => {
      if (at(body, 'endpoints.0.success') === false) put(body, 'endpoints.0.success', true);
    }),
  },
];
