import {
  aText,
  aTimestamp,
  aUuid,
  expectAnswer,
  expectMatch,
  expectStatus,
  insist,
} from '../../checking/expect.js';
import { isObject, type Json, listAt, put, textAt } from '../../checking/json.js';
import { answers, setField } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000005';

/** The entry of a list that has this text in this field. */
function entry(list: Json | undefined, field: string, value: string): Json | undefined {
  return (Array.isArray(list) ? list : []).find((one) => textAt(one, field) === value);
}

export const READ_OUT_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'read-outs.status',
    section: '2',
    title: 'tells its version of the API and its address',
    run: async (bench) => {
      const answer = await bench.call('GET', '/status');
      expectAnswer(answer, 200, { api_version: 'v2', advertise_address: aText });
    },
    mutation: answers('tells another version', 'GET /status', (exchange) =>
      setField(exchange, 'api_version', 'v1'),
    ),
  },
  {
    id: 'read-outs.health',
    section: '2',
    title: 'answers its health and readiness',
    run: async (bench) => {
      for (const path of ['/health', '/health/readyz']) {
        const answer = await bench.anonymous('GET', path);
        expectStatus(answer, 200);
        insist(isObject(answer.json), `${path} is no JSON object`);
      }
    },
    mutation: answers('is never ready', 'GET /health/readyz', (exchange) => {
      exchange.status = 503;
    }),
  },
  {
    id: 'read-outs.health-status',
    section: '2',
    title: 'lists its workers in /health/status',
    run: async (bench) => {
      const { authority } = await bench.worker('interactive-port');
      const answer = await bench.call('GET', '/health/status');
      expectAnswer(answer, 200, { coordinator_version: aText, appproxy_api_version: 'v2' });
      const expected = { authority, available_slots: 3, occupied_slots: 0, ha_setup: false };
      expectMatch(entry(listAt(answer.json, 'workers'), 'authority', authority), expected, 'the worker');
    },
    mutation: answers('counts no slots', 'GET /health/status', ({ body, status }) => {
      if (status === 200) put(body, 'workers.*.available_slots', 0);
    }),
  },
  {
    id: 'read-outs.v1-workers',
    section: '2',
    title: 'lists workers for older managers',
    run: async (bench) => {
      const { authority } = await bench.worker('interactive-port');
      const answer = await bench.call('GET', '/v1/api/worker');
      expectStatus(answer, 200);
      const numbers = {
        total_slots: 3,
        ports_in_use: 0,
        min_range: 10_205,
        max_range: 10_207,
        wildcard_domain: null,
      };
      const expected = { ...numbers, endpoint: aText, created: aTimestamp, updated: aTimestamp };
      expectMatch(entry(answer.json, 'authority', authority), expected, 'the worker');
    },
    mutation: answers('counts no slots', 'GET /v1/api/worker', ({ body }) => put(body, '*.total_slots', 0)),
  },
  {
    id: 'read-outs.v1-slots',
    section: '2',
    title: 'lists slots in use for older managers',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      await bench.endpoint(worker, { serviceName: 'older' });
      const answer = await bench.call('GET', '/v1/api/slots');
      expectStatus(answer, 200);
      const expected = {
        rel: aUuid,
        port: null,
        subdomain: aText,
        wsproxy_version: 'v2',
        circuit__app: 'older',
      };
      expectMatch(entry(answer.json, 'worker__authority', worker.authority), expected, 'the slot');
    },
    mutation: answers('tells another version', 'GET /v1/api/slots', ({ body }) =>
      put(body, '*.wsproxy_version', 'v1'),
    ),
  },
  {
    id: 'read-outs.v1-delete',
    section: '2',
    title: 'deletes a circuit for older managers',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      await bench.endpoint(worker);
      const path = `/v1/api/circuit/${textAt(await bench.circuit(worker), 'id')}`;
      expectStatus(await bench.call('DELETE', path), 200);
      insist((await bench.circuits(worker)).length === 0, 'the circuit is still there');
    },
    mutation: answers('answers nothing', 'DELETE /v1/api/circuit/:id', (exchange) => {
      if (exchange.status === 200) exchange.status = 202;
    }),
  },
  {
    id: 'read-outs.v1-delete-unknown',
    section: '2',
    title: 'answers older managers 404 for an unknown circuit',
    run: async (bench) => expectStatus(await bench.call('DELETE', `/v1/api/circuit/${UNKNOWN}`), 404),
    mutation: answers('succeeds', `DELETE /v1/api/circuit/${UNKNOWN}`, (exchange) => {
      exchange.status = 200;
    }),
  },
];
