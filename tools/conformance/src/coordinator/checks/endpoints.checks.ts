import { randomUUID } from 'node:crypto';
import { expectAnswer, expectMatch, expectStatus, insist } from '../../checking/expect.js';
import { at, isObject, listAt, put, textAt } from '../../checking/json.js';
import { answers } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { CREATE, endpointBody, named } from '../endpoint-item.js';

const HEALTH_CHECK = {
  enable: false,
  interval: 10,
  path: '/health',
  max_retries: 10,
  max_wait_time: 15,
  expected_status_code: 200,
  initial_delay: 60,
};

export const ENDPOINT_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'endpoints.order',
    section: '3.1',
    title: 'answers a bulk creation in the order of the call',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const items = [3, 1, 2].map((n) =>
        bench.item({ serviceName: 'ordered', existingUrl: worker.urlFor(n) }),
      );
      const answer = await bench.call('POST', '/v2/endpoints/bulk', { endpoints: items });
      const expected = items.map((item) => ({
        deployment_id: item['deployment_id'] ?? '',
        health_check_enabled: false,
      }));
      expectAnswer(answer, 200, { endpoints: expected });
    },
    mutation: answers('sorts them', CREATE, (exchange) => {
      if (named('ordered')(exchange)) listAt(exchange.body, 'endpoints').reverse();
    }),
  },
  {
    id: 'endpoints.aliases',
    section: '3.1',
    title: 'reads endpoint_id and group_id, and writes deployment_id',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { deployment_id: id = '', ...rest } = bench.item({
        serviceName: 'old',
        existingUrl: worker.urlFor(1),
      });
      const session = at(rest, 'tags.session');
      if (isObject(session))
        put(rest, 'tags.session', {
          user_uuid: session['user_uuid'] ?? '',
          group_id: session['project_id'] ?? '',
          domain_name: 'default',
        });
      const answer = await bench.call('POST', '/v2/endpoints/bulk', {
        endpoints: [{ ...rest, endpoint_id: id }],
      });
      expectAnswer(answer, 200, { endpoints: [{ deployment_id: id }] });
    },
    mutation: answers('writes the old name', CREATE, (exchange) => {
      if (named('old')(exchange)) put(exchange.body, 'endpoints.0', { endpoint_id: 'x' });
    }),
  },
  {
    id: 'endpoints.single',
    section: '3.1',
    title: 'creates a single endpoint',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const id = bench.owns(randomUUID());
      const body = endpointBody(id, { existingUrl: `https://single${worker.domain}` });
      const expected = {
        success: true,
        endpoint: `https://single${worker.domain}/`,
        health_check_enabled: false,
      };
      expectAnswer(await bench.call('POST', `/v2/endpoints/${id}`, body), 200, expected);
    },
    mutation: answers('answers 500', 'POST /v2/endpoints/:id', (exchange) => {
      if (!exchange.path.endsWith('/bulk')) exchange.status = 500;
    }),
  },
  {
    id: 'endpoints.unchanged',
    section: '3.1',
    title: 'answers a repeated creation with the same URL, and makes no second circuit',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const item = bench.item({ serviceName: 'again', existingUrl: worker.urlFor(1) });
      const [one, two] = [
        await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] }),
        await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] }),
      ];
      expectAnswer(two, 200, { endpoints: [{ url: textAt(one.json, 'endpoints.0.url') }] });
      insist((await bench.circuits(worker)).length === 1, 'there are more circuits than one');
    },
    mutation: answers('makes a second', 'GET /api/worker/:id/circuits', ({ body }) => {
      if (textAt(body, 'circuits.0.app') === 'again') listAt(body, 'circuits').push({});
    }),
  },
  {
    id: 'endpoints.twice-in-one-call',
    section: '3.1',
    title: 'answers the same id twice in one call with two equal results',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const item = bench.item({ serviceName: 'double', existingUrl: worker.urlFor(1) });
      const answer = await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item, item] });
      expectStatus(answer, 200);
      const [one, two] = listAt(answer.json, 'endpoints');
      expectMatch(two, isObject(one) ? one : {}, 'the second result');
    },
    mutation: answers('makes up another', CREATE, (exchange) => {
      if (named('double')(exchange)) put(exchange.body, 'endpoints.1.url', 'http://other.test/');
    }),
  },
  {
    id: 'endpoints.empty-bulk',
    section: '3.1',
    title: 'answers an empty creation with an empty list',
    run: async (bench) =>
      expectAnswer(await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [] }), 200, { endpoints: [] }),
    mutation: answers('refuses it', CREATE, (exchange) => {
      if (Array.isArray(at(exchange.sent, 'endpoints')) && listAt(exchange.sent, 'endpoints').length === 0)
        exchange.status = 400;
    }),
  },
  {
    id: 'endpoints.bulk-type',
    section: '3.1',
    title: 'refuses a creation whose endpoints are no list',
    run: async (bench) =>
      expectStatus(await bench.call('POST', '/v2/endpoints/bulk', { endpoints: 'all' }), 400),
    mutation: answers('ignores it', CREATE, (exchange) => {
      if (at(exchange.sent, 'endpoints') === 'all') exchange.status = 200;
    }),
  },
  {
    id: 'endpoints.health-check',
    section: '1.6',
    title: 'takes any health check for an enabled one, whatever enable says',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const item = bench.item({ healthCheck: HEALTH_CHECK, existingUrl: worker.urlFor(1) });
      const answer = await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] });
      expectAnswer(answer, 200, { endpoints: [{ health_check_enabled: true }] });
    },
    mutation: answers('looks at enable', CREATE, ({ body }) => {
      if (at(body, 'endpoints.0.health_check_enabled') === true)
        put(body, 'endpoints.0.health_check_enabled', false);
    }),
  },
  {
    id: 'endpoints.delete',
    section: '3.1',
    title: 'answers success to the deletion of an endpoint, also a second time',
    needs: ['bus'],
    run: async (bench) => {
      const { id } = await bench.endpoint(await bench.worker('wildcard'));
      for (let times = 0; times < 2; times += 1)
        expectAnswer(await bench.call('DELETE', `/v2/endpoints/${id}`), 200, { success: true });
    },
    mutation: {
      fault: 'answers 404 the second time',
      rewriter: () => {
        const seen = new Set<string>();
        return {
          answer: (exchange) => {
            if (exchange.method !== 'DELETE' || !exchange.path.startsWith('/v2/endpoints/')) return;
            if (exchange.path.endsWith('/bulk')) return;
            if (seen.has(exchange.path)) exchange.status = 404;
            seen.add(exchange.path);
          },
        };
      },
    },
  },
  {
    id: 'endpoints.delete-bulk',
    section: '3.1',
    title: 'answers every item of a bulk deletion in order, unknown ones with success',
    needs: ['bus'],
    run: async (bench) => {
      const { id } = await bench.endpoint(await bench.worker('wildcard'));
      const unknown = randomUUID();
      const answer = await bench.call('DELETE', '/v2/endpoints/bulk', {
        endpoints: [{ endpoint_id: unknown }, { deployment_id: id }],
      });
      const done = { success: true, error: null };
      expectAnswer(answer, 200, {
        endpoints: [
          { deployment_id: unknown, ...done },
          { deployment_id: id, ...done },
        ],
      });
    },
    mutation: answers('complains about the unknown one', 'DELETE /v2/endpoints/bulk', ({ body, sent }) => {
      if (at(sent, 'endpoints.0.endpoint_id') !== undefined) put(body, 'endpoints.0.success', false);
    }),
  },
  {
    id: 'endpoints.delete-frees',
    section: '3.1',
    title: 'removes the circuit with its endpoint',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard');
      const { id } = await bench.endpoint(worker);
      const path = `/api/circuit/${textAt(await bench.circuit(worker), 'id')}`;
      await bench.call('DELETE', '/v2/endpoints/bulk', { endpoints: [{ deployment_id: id }] });
      expectStatus(await bench.call('GET', path), 404);
    },
    mutation: answers('keeps the circuit', 'GET /api/circuit/:id', (exchange) => {
      if (!exchange.path.includes('/00000000-') && exchange.status === 404) exchange.status = 200;
    }),
  },
  ...healthChecks(),
];

function healthChecks(): CoordinatorCheck[] {
  const path = (id: string): string => `/v2/endpoints/${id}/health-check`;
  return [
    {
      id: 'health-check.update',
      section: '3.1',
      title: 'sets and clears a health check',
      needs: ['bus'],
      run: async (bench) => {
        const { id } = await bench.endpoint(await bench.worker('wildcard'));
        for (const health_check of [HEALTH_CHECK, null])
          expectAnswer(await bench.call('PUT', path(id), { health_check }), 200, { success: true });
      },
      mutation: answers('cannot clear', 'PUT /v2/endpoints/:id/health-check', (exchange) => {
        if (at(exchange.sent, 'health_check') === null) exchange.status = 400;
      }),
    },
    {
      id: 'health-check.missing-field',
      section: '3.1',
      title: 'refuses an update without health_check',
      needs: ['bus'],
      run: async (bench) => {
        const { id } = await bench.endpoint(await bench.worker('wildcard'));
        expectStatus(await bench.call('PUT', path(id), {}), 400);
      },
      mutation: answers('takes it for null', 'PUT /v2/endpoints/:id/health-check', (exchange) => {
        if (at(exchange.sent, 'health_check') === undefined) exchange.status = 200;
      }),
    },
    {
      id: 'health-check.unknown',
      section: '3.1',
      title: 'answers 404 for an endpoint without a circuit',
      run: async (bench) =>
        expectStatus(await bench.call('PUT', path(randomUUID()), { health_check: HEALTH_CHECK }), 404),
      mutation: answers('accepts it', 'PUT /v2/endpoints/:id/health-check', (exchange) => {
        if (exchange.status === 404) exchange.status = 200;
      }),
    },
  ];
}
