import { expectAnswer, expectStatus, insist } from '../../checking/expect.js';
import { at, textAt } from '../../checking/json.js';
import { answers, setField } from '../../mutation/mutation.js';
import type { CoordinatorBench } from '../coordinator-bench.js';
import type { CoordinatorCheck } from '../coordinator-check.js';

const common = { needs: ['extensions', 'bus'] } as const;

async function pair(bench: CoordinatorBench) {
  const worker = await bench.worker('wildcard');
  const upstream = await bench.endpoint(worker, { serviceName: 'upstream' });
  const downstream = await bench.endpoint(worker, { serviceName: 'downstream' });
  bench.undo('PUT', `/v2/endpoints/${downstream.id}/upstream`, { upstream_endpoint_id: null });
  return { upstream: upstream.id, downstream: downstream.id };
}

const bind = (bench: CoordinatorBench, id: string, upstream: string | null) =>
  bench.call('PUT', `/v2/endpoints/${id}/upstream`, { upstream_endpoint_id: upstream });

export const LINEAGE_CHECKS: readonly CoordinatorCheck[] = [
  {
    ...common,
    id: 'lineage.bind',
    section: '9.4',
    title: 'shows a binding from both ends',
    run: async (bench) => {
      const { upstream, downstream } = await pair(bench);
      expectStatus(await bind(bench, downstream, upstream), 200);
      const above = { deployment_id: upstream, upstream: null, downstreams: [downstream] };
      expectAnswer(await bench.call('GET', `/v2/endpoints/${upstream}/lineage`), 200, above);
      const below = { upstream, ancestors: [upstream], downstreams: [] };
      expectAnswer(await bench.call('GET', `/v2/endpoints/${downstream}/lineage`), 200, below);
    },
    mutation: answers('shows no downstreams', 'GET /v2/endpoints/:id/lineage', (exchange) => {
      setField(exchange, 'downstreams', []);
    }),
  },
  {
    ...common,
    id: 'lineage.cycle',
    section: '9.4',
    title: 'refuses a cycle with 409',
    run: async (bench) => {
      const { upstream, downstream } = await pair(bench);
      await bind(bench, downstream, upstream);
      expectStatus(await bind(bench, upstream, downstream), 409);
    },
    mutation: answers('closes the circle', 'PUT /v2/endpoints/:id/upstream', (exchange) => {
      const self = exchange.path.includes(textAt(exchange.sent, 'upstream_endpoint_id'));
      if (exchange.status === 409 && !self) exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'lineage.self',
    section: '9.4',
    title: 'refuses a binding to itself with 409',
    run: async (bench) => {
      const { upstream } = await pair(bench);
      expectStatus(await bind(bench, upstream, upstream), 409);
    },
    mutation: answers('takes it', 'PUT /v2/endpoints/:id/upstream', (exchange) => {
      if (exchange.path.includes(textAt(exchange.sent, 'upstream_endpoint_id'))) exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'lineage.restrict',
    section: '9.4',
    title: 'refuses the deletion of a bound upstream, and names the downstreams',
    run: async (bench) => {
      const { upstream, downstream } = await pair(bench);
      await bind(bench, downstream, upstream);
      const answer = await bench.call('DELETE', `/v2/endpoints/${upstream}`);
      expectStatus(answer, 409);
      insist(JSON.stringify(at(answer.json, 'data')).includes(downstream), 'the downstream is not named');
    },
    mutation: answers('names nobody', 'DELETE /v2/endpoints/:id', (exchange) => {
      if (exchange.status === 409) setField(exchange, 'data', {});
    }),
  },
];
