import { absent, expectAnswer, expectMatch, expectStatus, matching } from '../../checking/expect.js';
import { type JsonObject, put, textAt } from '../../checking/json.js';
import { answers } from '../../mutation/mutation.js';
import type { CoordinatorBench } from '../coordinator-bench.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { CREATE, named } from '../endpoint-item.js';
import type { FakeWorker } from '../fake-worker.js';

const PULL = 'GET /api/worker/:id/circuits';
const INTERNAL = { host: '10.0.0.9', port: 10_440, domain: '.internal.conformance.test' };
const common = { needs: ['extensions', 'bus'] } as const;

async function internalWorker(bench: CoordinatorBench): Promise<FakeWorker> {
  return bench.worker('wildcard', {
    internal_frontend: { ...INTERNAL, domain: `.${bench.tag}.internal.test` },
  });
}

async function create(bench: CoordinatorBench, item: JsonObject) {
  return bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] });
}

export const VISIBILITY_CHECKS: readonly CoordinatorCheck[] = [
  {
    ...common,
    id: 'visibility.public-bytes',
    section: '9.3',
    title: 'says nothing about visibility on a public circuit',
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      await bench.endpoint(worker, { serviceName: 'public' });
      expectMatch(await bench.circuit(worker), { visibility: absent, requires_token: absent }, 'the circuit');
    },
    mutation: answers('says it', PULL, ({ body }) => {
      if (textAt(body, 'circuits.0.app') === 'public') put(body, 'circuits.0.visibility', 'public');
    }),
  },
  {
    ...common,
    id: 'visibility.contradiction',
    section: '9.3',
    title: 'refuses open_to_public together with INTERNAL',
    run: async (bench) => {
      const more = { open_to_public: true, visibility: 'internal' };
      expectStatus(await create(bench, bench.item({ serviceName: 'torn', more })), 400);
    },
    mutation: answers('prefers one', CREATE, (exchange) => {
      if (named('torn')(exchange)) exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'visibility.explicit-wins',
    section: '9.3',
    title: 'lets requires_token win over open_to_public',
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const more = { open_to_public: true, visibility: 'public', requires_token: true };
      await bench.endpoint(worker, { serviceName: 'explicit', more });
      expectMatch(await bench.circuit(worker), { open_to_public: false }, 'the circuit');
    },
    mutation: answers('opens it', PULL, ({ body }) => {
      if (textAt(body, 'circuits.0.app') === 'explicit') put(body, 'circuits.0.open_to_public', true);
    }),
  },
  {
    ...common,
    id: 'visibility.internal-placement',
    section: '9.3',
    phase: 'alone',
    title: 'never places an INTERNAL circuit on a worker without an internal frontend',
    run: async (bench) => {
      await bench.worker('wildcard');
      const answer = await create(
        bench,
        bench.item({ serviceName: 'hidden', more: { visibility: 'internal' } }),
      );
      bench.skipIfPlaced(answer);
      expectStatus(answer, 503);
    },
    mutation: answers('places it', CREATE, (exchange) => {
      if (named('hidden')(exchange)) exchange.status = 500;
    }),
  },
  {
    ...common,
    id: 'visibility.internal-url',
    section: '9.2',
    phase: 'alone',
    title: 'gives an INTERNAL endpoint a URL of the internal frontend, and marks its circuit',
    run: async (bench) => {
      const worker = await internalWorker(bench);
      const answer = await create(
        bench,
        bench.item({ serviceName: 'inside', more: { visibility: 'internal' } }),
      );
      bench.skipIfPlaced(answer);
      const url = matching(new RegExp(`^http://inside\\.${bench.tag}\\.internal\\.test:10440/?$`));
      expectAnswer(answer, 200, { endpoints: [{ url }] });
      const expected = { visibility: 'internal', requires_token: true, open_to_public: false, port: null };
      expectMatch(await bench.circuit(worker), expected, 'the circuit');
    },
    mutation: answers('gives a public one', CREATE, (exchange) => {
      if (named('inside')(exchange)) put(exchange.body, 'endpoints.0.url', 'https://inside.models.test/');
    }),
  },
];
