import {
  aNumber,
  aText,
  aTimestamp,
  aUuid,
  expectAnswer,
  expectMatch,
  expectStatus,
  insist,
} from '../../checking/expect.js';
import { at, isObject, put, textAt } from '../../checking/json.js';
import { answers, setField } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { USER } from '../endpoint-item.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000004';
const PULL = 'GET /api/worker/:id/circuits';

/** Fields in the order in which they are written. */
const FIELD_ORDER =
  'id,app,protocol,worker,app_mode,frontend_mode,envs,arguments,open_to_public,allowed_client_ips,port,subdomain,user_id,endpoint_id,runtime_variant,route_info,session_ids';

export const CIRCUIT_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'circuits.fields',
    section: '1.4',
    title: 'hands over every field of a circuit',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { id } = await bench.endpoint(worker, { serviceName: 'all-fields' });
      const expected = {
        id: aUuid,
        app: 'all-fields',
        protocol: 'http',
        worker: worker.id,
        app_mode: 'inference',
        frontend_mode: 'wildcard',
        envs: {},
        arguments: null,
        open_to_public: false,
        allowed_client_ips: null,
        port: null,
        subdomain: aText,
        user_id: USER,
        endpoint_id: id,
        runtime_variant: 'vllm',
        route_info: [],
        session_ids: [],
        created_at: aTimestamp,
        updated_at: aTimestamp,
      };
      expectMatch(await bench.circuit(worker), expected, 'the circuit');
    },
    mutation: answers('forgets the variant', PULL, ({ body }) => {
      if (textAt(body, 'circuits.0.app') === 'all-fields') put(body, 'circuits.*.runtime_variant', null);
    }),
  },
  {
    id: 'circuits.order',
    section: '1.4',
    title: 'writes the fields of a circuit in their order',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      await bench.endpoint(worker, { serviceName: 'in-order' });
      const circuit = await bench.circuit(worker);
      const keys = isObject(circuit) ? Object.keys(circuit) : [];
      const known = FIELD_ORDER.split(',');
      insist(keys.filter((key) => known.includes(key)).join() === FIELD_ORDER, `the order is ${keys.join()}`);
    },
    mutation: answers('writes app first', PULL, ({ body }) => {
      const circuit = at(body, 'circuits.0');
      if (isObject(circuit) && circuit['app'] === 'in-order')
        put(body, 'circuits.0', { app: '', ...circuit });
    }),
  },
  {
    id: 'circuits.port',
    section: '1.4',
    title: 'gives a circuit on a PORT worker its port and no label',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('port', { port_range: [21_021, 21_023] });
      await bench.endpoint(worker, { existingUrl: worker.urlFor(2) });
      const expected = { frontend_mode: 'port', port: 21_022, subdomain: null };
      expectMatch(await bench.circuit(worker), expected, 'the circuit');
    },
    mutation: answers('gives it a label', PULL, ({ body }) => {
      if (at(body, 'circuits.0.port') === 21_022) put(body, 'circuits.0.subdomain', 'p21022');
    }),
  },
  {
    id: 'circuits.open',
    section: '1.4',
    title: 'hands open_to_public over as it was set',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      await bench.endpoint(worker, { openToPublic: true });
      expectMatch(await bench.circuit(worker), { open_to_public: true }, 'the circuit');
    },
    mutation: answers('closes every circuit', PULL, ({ body }) =>
      put(body, 'circuits.*.open_to_public', false),
    ),
  },
  {
    id: 'circuits.endpoint-id',
    section: '1.4',
    title: 'names the deployment of the item, whatever tags.endpoint.id says',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const item = bench.item({ serviceName: 'two-ids', existingUrl: worker.urlFor(1) });
      put(item, 'tags.endpoint.id', UNKNOWN);
      expectStatus(await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] }), 200);
      expectMatch(await bench.circuit(worker), { endpoint_id: item['deployment_id'] ?? '' }, 'the circuit');
    },
    mutation: answers('names the other', PULL, ({ body }) => {
      if (textAt(body, 'circuits.0.app') === 'two-ids') put(body, 'circuits.0.endpoint_id', UNKNOWN);
    }),
  },
  {
    id: 'circuits.get',
    section: '2',
    title: 'shows one circuit like the pull does',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      await bench.endpoint(worker);
      const circuit = await bench.circuit(worker);
      const answer = await bench.call('GET', `/api/circuit/${textAt(circuit, 'id')}`);
      expectAnswer(answer, 200, isObject(circuit) ? circuit : {});
    },
    mutation: answers('shows another app', 'GET /api/circuit/:id', (exchange) => {
      if (exchange.status === 200) setField(exchange, 'app', 'other');
    }),
  },
  {
    id: 'circuits.statistics',
    section: '2',
    title: 'shows requests, last access and time to live',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      await bench.endpoint(worker);
      const id = textAt(await bench.circuit(worker), 'id');
      const answer = await bench.call('GET', `/api/circuit/${id}/statistics`);
      expectAnswer(answer, 200, { id, requests: 0, last_access: aNumber, ttl: null });
      insist(Number(at(answer.json, 'last_access')) > 1e12, 'last_access is not in milliseconds');
    },
    mutation: answers('counts in seconds', 'GET /api/circuit/:id/statistics', (exchange) => {
      if (exchange.status === 200) setField(exchange, 'last_access', 1_800_000_000);
    }),
  },
  {
    id: 'circuits.pull-unknown-worker',
    section: '2',
    title: 'answers 404 to the pull of an unknown worker',
    run: async (bench) => expectStatus(await bench.call('GET', `/api/worker/${UNKNOWN}/circuits`), 404),
    mutation: answers('answers an empty list', `GET /api/worker/${UNKNOWN}/circuits`, (exchange) => {
      exchange.status = 200;
    }),
  },
  ...removals(),
];

function removals(): CoordinatorCheck[] {
  return [
    {
      id: 'circuits.delete',
      section: '2',
      title: 'deletes one circuit',
      needs: ['bus'],
      run: async (bench) => {
        const worker = await bench.worker('wildcard');
        await bench.endpoint(worker);
        const path = `/api/circuit/${textAt(await bench.circuit(worker), 'id')}`;
        expectAnswer(await bench.call('DELETE', path), 200, { success: true });
        expectStatus(await bench.call('DELETE', path), 404);
      },
      mutation: answers('does not notice the second time', 'DELETE /api/circuit/:id', (exchange) => {
        if (exchange.status === 404) exchange.status = 200;
      }),
    },
    {
      id: 'circuits.delete-list',
      section: '2',
      title: 'deletes a list of circuits and ignores unknown ones',
      needs: ['bus'],
      run: async (bench) => {
        const worker = await bench.worker('wildcard');
        await bench.endpoint(worker, { serviceName: 'listed' });
        const id = textAt(await bench.circuit(worker), 'id');
        const answer = await bench.call('DELETE', '/api/circuit/_/bulk', { circuit_ids: [id, UNKNOWN] });
        expectAnswer(answer, 200, { success: true });
        insist((await bench.circuits(worker)).length === 0, 'the circuit is still there');
      },
      mutation: answers('insists on known ids', 'DELETE /api/circuit/_/bulk', (exchange) => {
        if (Array.isArray(at(exchange.sent, 'circuit_ids')) && at(exchange.sent, 'circuit_ids.1') === UNKNOWN)
          exchange.status = 404;
      }),
    },
    {
      id: 'circuits.delete-text',
      section: '2',
      title: 'deletes circuits named in one text with commas',
      needs: ['bus'],
      run: async (bench) => {
        const worker = await bench.worker('wildcard');
        for (let times = 0; times < 2; times += 1) await bench.endpoint(worker);
        const ids = (await bench.circuits(worker)).map((circuit) => textAt(circuit, 'id')).join(',');
        const answer = await bench.call('DELETE', '/api/circuit/_/bulk', { circuit_ids: ids });
        expectAnswer(answer, 200, { success: true });
        insist((await bench.circuits(worker)).length === 0, 'circuits are still there');
      },
      mutation: answers('knows lists only', 'DELETE /api/circuit/_/bulk', (exchange) => {
        if (typeof at(exchange.sent, 'circuit_ids') === 'string') exchange.status = 400;
      }),
    },
  ];
}
