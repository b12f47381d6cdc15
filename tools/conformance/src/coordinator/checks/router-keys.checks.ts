import { randomUUID } from 'node:crypto';
import { EVENT_NAMES } from '@penstock/protocol';
import { absent, expectAnswer, expectMatch, expectStatus, insist } from '../../checking/expect.js';
import { put, textAt } from '../../checking/json.js';
import { answers, messages, sentWith } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { issue, key, keys } from '../router-calls.js';

const PUT_KEY = 'PUT /v2/routers/:authority/api-keys/:key';
const common = { phase: 'router', needs: ['extensions', 'bus'] } as const;

/** Keys of a ROUTER authority. */
export const ROUTER_KEY_CHECKS: readonly CoordinatorCheck[] = [
  {
    ...common,
    id: 'router.keys-masked',
    section: '3.3',
    title: 'never lists the hash of a key',
    run: async (bench) => {
      const worker = await bench.worker('router');
      const { id, answer } = await issue(bench, worker);
      expectAnswer(answer, 200, { key_id: id });
      const listed = { key_id: id, display_hint: 'sk-…test', token_hash: absent };
      expectAnswer(await bench.call('GET', keys(worker)), 200, { api_keys: [listed] });
    },
    mutation: answers('lists it', 'GET /v2/routers/:authority/api-keys', ({ body }) =>
      put(body, 'api_keys.*.token_hash', 'abc'),
    ),
  },
  {
    ...common,
    id: 'router.key-hash',
    section: '3.3',
    title: 'answers 400 for a hash that is not 64 hex digits',
    run: async (bench) => {
      const { answer } = await issue(bench, await bench.worker('router'), { ...key(), token_hash: 'short' });
      expectStatus(answer, 400);
    },
    mutation: answers('takes it', PUT_KEY, (exchange) => {
      if (sentWith('token_hash', 'short')(exchange)) exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'router.key-event',
    section: '4.3',
    title: 'announces a key by its id, without its hash',
    run: async (bench) => {
      const worker = await bench.worker('router');
      const body = key(['announced']);
      const { id } = await issue(bench, worker, body);
      const event = await worker.event(EVENT_NAMES.routerKeyUpdated);
      expectMatch(event.payload, { key_id: id, target_worker_authority: worker.authority }, 'the event');
      insist(!event.text.includes(textAt(body, 'token_hash')), 'the hash is on the bus');
    },
    mutation: messages('names another key', EVENT_NAMES.routerKeyUpdated, ({ payload }) => {
      put(payload, 'key_id', 'other');
    }),
  },
  {
    ...common,
    id: 'router.strict',
    section: '3.3',
    title: 'confirms a strict revocation by every live node',
    run: async (bench) => {
      const worker = await bench.worker('router', { node_id: randomUUID() });
      const { id } = await issue(bench, worker);
      const answer = await bench.call('DELETE', `${keys(worker, id)}?strict=true`);
      const strict = { confirmed: true, confirmed_nodes: [worker.nodeId ?? ''], unconfirmed_nodes: [] };
      expectAnswer(answer, 200, { success: true, strict });
    },
    mutation: answers(
      'confirms nothing',
      'DELETE /v2/routers/:authority/api-keys/:key',
      ({ body, query }) => {
        if (query.get('strict') === 'true') put(body, 'strict.confirmed', false);
      },
    ),
  },
];
