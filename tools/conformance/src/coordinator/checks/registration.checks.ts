import { aTimestamp, aUuid, expectAnswer, expectMatch, expectStatus, insist } from '../../checking/expect.js';
import { at, listAt, textAt } from '../../checking/json.js';
import { answers, sentWith, setField } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { registration, registrationAnswer } from '../registration.js';
import { errorVector } from '../error-vectors.js';

const generated = { id: aUuid, created_at: aTimestamp, updated_at: aTimestamp };

export const REGISTRATION_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'registration.wildcard',
    section: '2.1',
    title: 'answers a WILDCARD registration with all fields of a worker',
    run: async (bench) => {
      const { registered, body } = await bench.worker('wildcard');
      const { authority = '', hostname = '', wildcard_domain = '' } = body;
      const expected = {
        ...registrationAnswer('stock-wildcard'),
        ...generated,
        authority,
        hostname,
        wildcard_domain,
      };
      expectMatch(registered, expected, 'the registered worker');
    },
    mutation: answers('forgets the traffic port of a WILDCARD worker', 'PUT /api/worker', (exchange) => {
      if (sentWith('frontend_mode', 'wildcard')(exchange)) setField(exchange, 'wildcard_traffic_port', null);
    }),
  },
  {
    id: 'registration.port',
    section: '2.1',
    title: 'answers a PORT registration with its range as slots',
    run: async (bench) => {
      const { registered, body } = await bench.worker('interactive-port');
      const { authority = '', hostname = '' } = body;
      const expected = { ...registrationAnswer('stock-port'), ...generated, authority, hostname };
      expectMatch(registered, expected, 'the registered worker');
    },
    mutation: answers('lists no slots', 'PUT /api/worker', (exchange) => {
      if (sentWith('frontend_mode', 'port')(exchange)) setField(exchange, 'slots', []);
    }),
  },
  {
    id: 'registration.again',
    section: '2.2',
    title: 'gives every node of an authority the same id and counts it',
    run: async (bench) => {
      const { body, id } = await bench.worker('wildcard');
      bench.undo('DELETE', `/api/worker/${id}`);
      const again = await bench.call('PUT', '/api/worker', body);
      expectAnswer(again, 200, { id, nodes: 2 });
    },
    mutation: answers('does not count nodes', 'PUT /api/worker', (exchange) => {
      if (at(exchange.body, 'nodes') === 2 && sentWith('frontend_mode', 'wildcard')(exchange))
        setField(exchange, 'nodes', 1);
    }),
  },
  {
    id: 'registration.overwrites',
    section: '2.2',
    title: 'overwrites the mutable fields and recomputes the slots',
    run: async (bench) => {
      const { body, id } = await bench.worker('interactive-port');
      bench.undo('DELETE', `/api/worker/${id}`);
      const changed = { ...body, port_range: [30_000, 30_004], tls_advertised: true, api_port: 9_999 };
      const again = await bench.call('PUT', '/api/worker', changed);
      expectAnswer(again, 200, { available_slots: 5, tls_advertised: true, api_port: 9_999 });
    },
    mutation: answers('keeps the old size', 'PUT /api/worker', (exchange) => {
      if (at(exchange.body, 'available_slots') === 5) setField(exchange, 'available_slots', 3);
    }),
  },
  {
    id: 'registration.accepted-traffics',
    section: '1.2',
    title: 'takes over accepted_traffics on registration of a known authority',
    run: async (bench) => {
      const { body, id } = await bench.worker('interactive-port', { tls_listen: true });
      const changed = { ...body, accepted_traffics: ['inference', 'interactive'] };
      bench.undo('DELETE', `/api/worker/${id}`);
      const again = await bench.call('PUT', '/api/worker', changed);
      bench.skipIfCrowded(again);
      expectStatus(again, 200);
      const traffics = listAt(again.json, 'accepted_traffics').map(String).toSorted();
      insist(traffics.join() === 'inference,interactive', `accepted_traffics is ${traffics.join()}`);
    },
    mutation: answers('keeps the first value', 'PUT /api/worker', (exchange) => {
      if (sentWith('tls_listen', true)(exchange)) setField(exchange, 'accepted_traffics', ['interactive']);
    }),
  },
  ...refusals(),
  {
    id: 'registration.detail',
    section: '2',
    title: 'shows a worker by its id',
    run: async (bench) => {
      const { id, authority } = await bench.worker('wildcard');
      expectAnswer(await bench.call('GET', `/api/worker/${id}`), 200, {
        id,
        authority,
        nodes: 1,
        occupied_slots: 0,
      });
    },
    mutation: answers('shows no nodes', 'GET /api/worker/:id', (exchange) => {
      if (at(exchange.body, 'nodes') === 1 && at(exchange.body, 'frontend_mode') === 'wildcard')
        setField(exchange, 'nodes', 0);
    }),
  },
  {
    id: 'registration.list',
    section: '2',
    title: 'lists every worker',
    run: async (bench) => {
      const { id } = await bench.worker('wildcard');
      const answer = await bench.call('GET', '/api/worker');
      expectStatus(answer, 200);
      const ids = listAt(answer.json, 'workers').map((worker) => textAt(worker, 'id'));
      insist(ids.includes(id), 'the list lacks a worker that has just registered');
    },
    mutation: answers('lists nothing', 'GET /api/worker', (exchange) => {
      if (exchange.status === 200) setField(exchange, 'workers', []);
    }),
  },
];

function refusals(): CoordinatorCheck[] {
  return [
    {
      id: 'registration.port-without-range',
      section: '2.2',
      title: 'refuses PORT without port_range with 400 missing-frontend-config',
      run: async (bench) => {
        const body = { ...registration('port', bench.tag, bench.tag, 0), port_range: null };
        expectAnswer(
          await bench.call('PUT', '/api/worker', body),
          400,
          errorVector('missing-frontend-config'),
        );
      },
      mutation: answers('answers 500', 'PUT /api/worker', (exchange) => {
        if (sentWith('port_range', null)(exchange) && sentWith('frontend_mode', 'port')(exchange))
          exchange.status = 500;
      }),
    },
    {
      id: 'registration.wildcard-without-domain',
      section: '2.2',
      title: 'refuses WILDCARD without wildcard_domain with 400 missing-frontend-config',
      run: async (bench) => {
        const body = { ...registration('wildcard', bench.tag, bench.tag, 0), wildcard_domain: null };
        const { type = '', error_code = '' } = errorVector('missing-frontend-config');
        expectAnswer(await bench.call('PUT', '/api/worker', body), 400, { type, error_code });
      },
      mutation: answers('answers 500', 'PUT /api/worker', (exchange) => {
        if (sentWith('wildcard_domain', null)(exchange) && sentWith('frontend_mode', 'wildcard')(exchange))
          exchange.status = 500;
      }),
    },
    {
      id: 'registration.absent-fields',
      section: '2.1',
      title: 'takes absent fields of the other mode for null',
      run: async (bench) => {
        const { registered } = await bench.worker('wildcard', { hostname: 'absent.conformance.test' });
        expectMatch(registered, { port_range: null, traefik_last_used_marker_path: null }, 'the worker');
      },
      mutation: answers('invents a range', 'PUT /api/worker', (exchange) => {
        if (sentWith('hostname', 'absent.conformance.test')(exchange))
          setField(exchange, 'port_range', [1, 2]);
      }),
    },
  ];
}
