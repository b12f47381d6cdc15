import { expectAnswer, expectStatus, insist } from '../../checking/expect.js';
import { at, isObject, textAt } from '../../checking/json.js';
import { answers, sentWith, setField } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000003';

export const HEARTBEAT_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'heartbeat.empty',
    section: '2',
    title: 'accepts a heartbeat of no bytes as application/octet-stream',
    run: async (bench) => {
      const { id } = await bench.worker('wildcard');
      const headers = { 'content-length': '0', 'content-type': 'application/octet-stream' };
      expectAnswer(await bench.send('PATCH', `/api/worker/${id}`, { headers }), 200, { id });
    },
    mutation: answers('insists on JSON', 'PATCH /api/worker/:id', (exchange) => {
      if (exchange.sentHeaders['content-type'] === 'application/octet-stream') exchange.status = 415;
    }),
  },
  {
    id: 'heartbeat.node-id',
    section: '2',
    title: 'accepts a heartbeat with a node id',
    run: async (bench) => {
      const { id, authority } = await bench.worker('wildcard');
      bench.undo('DELETE', `/api/worker/${id}?node_id=${UNKNOWN}`);
      const answer = await bench.call('PATCH', `/api/worker/${id}`, { node_id: UNKNOWN });
      expectAnswer(answer, 200, { id, authority });
    },
    mutation: answers('refuses the body', 'PATCH /api/worker/:id', (exchange) => {
      if (sentWith('node_id', UNKNOWN)(exchange)) exchange.status = 400;
    }),
  },
  {
    id: 'heartbeat.updated-at',
    section: '1.2',
    title: 'moves updated_at with a heartbeat',
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const beaten = await bench.call('PATCH', `/api/worker/${worker.id}`, {});
      const [before, after] = [worker.registered, beaten.json].map((one) =>
        Date.parse(textAt(one, 'updated_at')),
      );
      insist(Number(after) > Number(before), 'updated_at did not move');
    },
    mutation: answers('keeps it', 'PATCH /api/worker/:id', (exchange) => {
      if (isObject(exchange.sent) && Object.keys(exchange.sent).length === 0)
        setField(exchange, 'updated_at', '2000-01-01T00:00:00Z');
    }),
  },
  {
    id: 'heartbeat.unknown-worker',
    section: '2',
    title: 'answers 404 to the heartbeat of an unknown worker',
    run: async (bench) => expectStatus(await bench.call('PATCH', `/api/worker/${UNKNOWN}`), 404),
    mutation: answers('accepts it', `PATCH /api/worker/${UNKNOWN}`, (exchange) => {
      exchange.status = 200;
    }),
  },
  {
    id: 'departure.success',
    section: '2',
    title: 'answers success to DELETE and shows no node afterwards',
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      worker.deregistered = true;
      expectAnswer(await bench.call('DELETE', `/api/worker/${worker.id}`), 200, { success: true });
      expectAnswer(await bench.call('GET', `/api/worker/${worker.id}`), 200, { nodes: 0 });
    },
    mutation: answers('still counts the node', 'GET /api/worker/:id', (exchange) => {
      if (at(exchange.body, 'nodes') === 0 && at(exchange.body, 'frontend_mode') === 'wildcard')
        setField(exchange, 'nodes', 1);
    }),
  },
  {
    id: 'departure.floor',
    section: '1.2',
    title: 'never counts fewer than no nodes',
    run: async (bench) => {
      const worker = await bench.worker('interactive-port');
      worker.deregistered = true;
      for (let times = 0; times < 2; times += 1) await bench.call('DELETE', `/api/worker/${worker.id}`);
      expectAnswer(await bench.call('GET', `/api/worker/${worker.id}`), 200, { nodes: 0 });
    },
    mutation: {
      fault: 'counts below zero',
      rewriter: () => {
        const left = new Map<string, number>();
        return {
          answer: (exchange) => {
            const times = left.get(exchange.path) ?? 0;
            if (exchange.method === 'DELETE') left.set(exchange.path, times + 1);
            if (exchange.method === 'GET' && times > 1) setField(exchange, 'nodes', -1);
          },
        };
      },
    },
  },
  {
    id: 'departure.unknown-worker',
    section: '2',
    title: 'answers 404 to the departure of an unknown worker',
    run: async (bench) => expectStatus(await bench.call('DELETE', `/api/worker/${UNKNOWN}`), 404),
    mutation: answers('accepts it', `DELETE /api/worker/${UNKNOWN}`, (exchange) => {
      exchange.status = 200;
    }),
  },
];
