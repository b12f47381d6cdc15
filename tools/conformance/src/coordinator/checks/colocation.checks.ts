import { demand, type Expected, expectAnswer, expectStatus } from '../../checking/expect.js';
import { isObject, textAt } from '../../checking/json.js';
import { answers, sentWith } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';

const alone = { phase: 'alone', needs: ['extensions', 'bus'] } as const;

/** Names this worker; whatever else is attached may be named beside it. */
const conflict = (authority: string): Expected => ({
  conflicts_with: demand(
    `a list that names ${authority}`,
    (parties) =>
      Array.isArray(parties) && parties.some((party) => isObject(party) && party['authority'] === authority),
  ),
});

/** Routers and stock workers exclude each other, so these run alone. */
export const COLOCATION_CHECKS: readonly CoordinatorCheck[] = [
  {
    ...alone,
    id: 'colocation.router-second',
    section: '2.2',
    title: 'refuses a router beside a stock inference worker with E10002',
    run: async (bench) => {
      const stock = await bench.worker('wildcard');
      const answer = await bench.call('PUT', '/api/worker', bench.registration('router'));
      expectAnswer(answer, 409, { data: conflict(stock.authority) });
    },
    mutation: answers('takes it', 'PUT /api/worker', (exchange) => {
      if (exchange.status === 409 && sentWith('frontend_mode', 'router')(exchange)) exchange.status = 200;
    }),
  },
  {
    ...alone,
    id: 'colocation.stock-second',
    section: '2.2',
    title: 'refuses a stock inference worker beside a router with E10002',
    run: async (bench) => {
      const worker = await bench.worker('router');
      const answer = await bench.call('PUT', '/api/worker', bench.registration('wildcard'));
      expectAnswer(answer, 409, { data: conflict(worker.authority) });
    },
    mutation: answers('takes it', 'PUT /api/worker', (exchange) => {
      if (exchange.status === 409 && sentWith('frontend_mode', 'wildcard')(exchange)) exchange.status = 200;
    }),
  },
  {
    ...alone,
    id: 'colocation.interactive',
    section: '2.2',
    title: 'accepts an interactive-only stock worker beside a router',
    run: async (bench) => {
      await bench.worker('router');
      const body = { ...bench.registration('interactive-port'), api_port: 1_234 };
      const answer = await bench.call('PUT', '/api/worker', body);
      bench.undo('DELETE', `/api/worker/${textAt(answer.json, 'id')}`);
      expectStatus(answer, 200);
    },
    mutation: answers('refuses it', 'PUT /api/worker', (exchange) => {
      if (sentWith('api_port', 1_234)(exchange)) exchange.status = 409;
    }),
  },
];
