import { randomUUID } from 'node:crypto';
import { EVENT_NAMES } from '@penstock/protocol';
import { aText, absent, expectAnswer, expectMatch, expectStatus, insist } from '../../checking/expect.js';
import { at, put, textAt } from '../../checking/json.js';
import { answers, sentWith, setField } from '../../mutation/mutation.js';
import type { CoordinatorBench } from '../coordinator-bench.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { config, issue, models, publication, publish } from '../router-calls.js';

const CONFIG = 'GET /api/worker/:id/router-config';
const PUT_MODEL = 'PUT /v2/routers/:authority/models/:model';

const common = { phase: 'router', needs: ['extensions', 'bus'] } as const;

export const ROUTER_CHECKS: readonly CoordinatorCheck[] = [
  {
    ...common,
    id: 'router.registration',
    section: '2.1',
    title: 'registers a ROUTER worker whose traffic port falls back to the API port',
    run: async (bench) => {
      const { registered } = await bench.worker('router');
      const expected = { frontend_mode: 'router', traffic_port: 8_080, available_slots: -1, slots: [] };
      expectMatch(registered, expected, 'the registered worker');
    },
    mutation: answers('does not fall back', 'PUT /api/worker', (exchange) => {
      if (sentWith('frontend_mode', 'router')(exchange)) setField(exchange, 'traffic_port', null);
    }),
  },
  ...registrationRefusals(),
  {
    ...common,
    id: 'router.nodes',
    section: '6.5',
    title: 'counts distinct node ids, and each of them once',
    run: async (bench) => {
      const worker = await bench.worker('router', { node_id: randomUUID() });
      const node_id = randomUUID();
      bench.undo('DELETE', `/api/worker/${worker.id}?node_id=${node_id}`);
      const second = await bench.call('PUT', '/api/worker', { ...worker.body, node_id });
      expectAnswer(second, 200, { id: worker.id, nodes: 2 });
      expectAnswer(await bench.call('PATCH', `/api/worker/${worker.id}`, { node_id }), 200, { nodes: 2 });
      expectStatus(await bench.call('DELETE', `/api/worker/${worker.id}?node_id=${node_id}`), 200);
      expectAnswer(await bench.call('GET', `/api/worker/${worker.id}`), 200, { nodes: 1 });
    },
    mutation: answers('counts beats', 'PATCH /api/worker/:id', (exchange) => {
      if (at(exchange.body, 'nodes') === 2) setField(exchange, 'nodes', 3);
    }),
  },
  {
    ...common,
    id: 'router.config',
    section: '2.5',
    title: 'hands publications and keys over in one snapshot with a revision',
    run: async (bench) => {
      const worker = await bench.worker('router');
      await publish(bench, worker, 'in-snapshot', publication('alias'));
      const { id } = await issue(bench, worker);
      const expected = {
        revision: aText,
        models: [{ model: 'in-snapshot', aliases: ['alias'], mappings: [], control_mode: 'manual' }],
        api_keys: [{ key_id: id, token_hash: aText, allowed_models: ['any'], display_hint: absent }],
      };
      expectAnswer(await bench.call('GET', config(worker)), 200, expected);
    },
    mutation: answers('shows the hint', CONFIG, ({ body }) => {
      if (textAt(body, 'models.0.model') === 'in-snapshot') put(body, 'api_keys.0.display_hint', 'sk-…');
    }),
  },
  {
    ...common,
    id: 'router.config-unchanged',
    section: '2.5',
    title: 'answers 304 for known_revision as for If-None-Match',
    run: async (bench) => {
      const worker = await bench.worker('router');
      const first = await bench.call('GET', config(worker));
      const revision = textAt(first.json, 'revision');
      const etag = first.headers.etag ?? '';
      insist(etag === `"${revision}"`, `ETag is ${etag}`);
      expectStatus(await bench.call('GET', `${config(worker)}?known_revision=${revision}`), 304);
      const headers = { 'if-none-match': etag };
      expectStatus(await bench.send('GET', config(worker), { headers }), 304);
      expectStatus(await bench.call('GET', `${config(worker)}?known_revision=nonsense`), 200);
    },
    mutation: answers('always sends all', CONFIG, (exchange) => {
      if (exchange.status === 304) exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'router.models',
    section: '3.3',
    title: 'lists what was published, until it is unpublished',
    run: async (bench) => {
      const worker = await bench.worker('router');
      expectStatus(await publish(bench, worker, 'a/b'), 200);
      expectAnswer(await bench.call('GET', models(worker)), 200, {
        authority: worker.authority,
        models: [{ model: 'a/b' }],
      });
      expectAnswer(await bench.call('DELETE', models(worker, 'a/b')), 200, { success: true });
      expectAnswer(await bench.call('GET', models(worker)), 200, { models: [] });
    },
    mutation: answers('cuts at the slash', 'GET /v2/routers/:authority/models', ({ body }) => {
      if (textAt(body, 'models.0.model') === 'a/b') put(body, 'models.0.model', 'a');
    }),
  },
  {
    ...common,
    id: 'router.model-propagation',
    section: '3.3',
    title: 'announces a publication and reports the first node that acknowledged it',
    run: async (bench) => {
      const worker = await bench.worker('router');
      const answer = await publish(bench, worker, 'spread');
      expectMatch(
        (await worker.event(EVENT_NAMES.routerModelUpdated)).payload,
        { model: { model: 'spread' } },
        'the event',
      );
      expectAnswer(answer, 200, { propagation: { status: 'applied', first_ack_node: worker.ackNode } });
    },
    mutation: answers('defers everything', PUT_MODEL, ({ body, path }) => {
      if (path.endsWith('/spread')) put(body, 'propagation.status', 'deferred');
    }),
  },
  {
    ...common,
    id: 'router.model-unchanged',
    section: '3.3',
    title: 'reports an identical publication as unchanged',
    run: async (bench) => {
      const worker = await bench.worker('router');
      await publish(bench, worker, 'same');
      expectAnswer(await publish(bench, worker, 'same'), 200, { propagation: { status: 'unchanged' } });
    },
    mutation: answers('applies it again', PUT_MODEL, ({ body }) => {
      if (textAt(body, 'propagation.status') === 'unchanged') put(body, 'propagation.status', 'applied');
    }),
  },
  {
    ...common,
    id: 'router.name-conflict',
    section: '3.3',
    title: 'answers 409 with the name for one that another publication has',
    run: async (bench) => {
      const worker = await bench.worker('router');
      await publish(bench, worker, 'owner', publication('taken'));
      expectAnswer(await publish(bench, worker, 'taken'), 409, { data: { name: 'taken' } });
    },
    mutation: answers('does not say which', PUT_MODEL, ({ body, status }) => {
      if (status === 409) put(body, 'data', {});
    }),
  },
  {
    ...common,
    id: 'router.unknown-authority',
    section: '3.3',
    title: 'answers 404 for an authority under which no router registered',
    run: async (bench) =>
      expectAnswer(await bench.call('GET', '/v2/routers/nobody/models'), 404, {
        title: 'E00002: No such router.',
      }),
    mutation: answers('answers an empty list', 'GET /v2/routers/nobody/models', (exchange) => {
      exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'router.url',
    section: '2.3',
    title: 'gives every endpoint of a router the same URL',
    run: async (bench) => {
      const worker = await bench.worker('router', { tls_advertised: true, traffic_port: 443 });
      const item = bench.item({ more: { authority: worker.authority } });
      const answer = await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] });
      expectAnswer(answer, 200, { endpoints: [{ url: `https://${textAt(worker.body, 'hostname')}/` }] });
    },
    mutation: answers('writes the port', 'POST /v2/endpoints/bulk', ({ body, sent }) => {
      if (textAt(sent, 'endpoints.0.authority') !== '')
        put(body, 'endpoints.0.url', 'https://router.test:443/');
    }),
  },
];

function registrationRefusals(): CoordinatorCheck[] {
  const refused = [
    { field: 'port_range', value: [1, 2] },
    { field: 'wildcard_domain', value: '.x.example.com' },
    { field: 'accepted_traffics', value: ['interactive'] },
  ];
  return refused.map(({ field, value }) => ({
    ...common,
    id: `router.refuses-${field.replace('_', '-')}`,
    section: '2.2',
    title: `refuses a ROUTER registration with ${field} ${JSON.stringify(value)}`,
    run: async (bench: CoordinatorBench) =>
      expectStatus(
        await bench.call('PUT', '/api/worker', { ...bench.registration('router'), [field]: value }),
        400,
      ),
    mutation: answers('takes it', 'PUT /api/worker', (exchange) => {
      const { sent } = exchange;
      const same = JSON.stringify(at(sent, field)) === JSON.stringify(value);
      if (at(sent, 'frontend_mode') === 'router' && same) exchange.status = 200;
    }),
  }));
}
