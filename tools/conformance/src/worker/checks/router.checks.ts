import { createHash, randomUUID } from 'node:crypto';
import { EVENT_NAMES } from '@penstock/protocol';
import { expectMatch, expectStatus, insist } from '../../checking/expect.js';
import type { Answer } from '../../checking/answer.js';
import { type JsonObject, listAt, put, textAt } from '../../checking/json.js';
import { answers, type BusMessage, type Mutation } from '../../mutation/mutation.js';
import { envelope } from '../bus-events.js';
import { makeCircuit } from '../circuit.js';
import type { WorkerBench } from '../worker-bench.js';
import type { WorkerCheck } from '../worker-check.js';

const APPLIED = EVENT_NAMES.routerConfigApplied;
const common = { modes: ['router'] } as const;

interface Published {
  readonly model: string;
  readonly key: string;
  readonly keyId: string;
}

/** A fault in the acknowledgement of one entity. */
function acks(fault: string, idStart: string, change: (message: BusMessage) => void): Mutation {
  const ours = ({ name, payload }: BusMessage): boolean =>
    name === APPLIED && textAt(payload, 'id').startsWith(idStart);
  return { fault, rewriter: () => ({ message: (message) => ours(message) && change(message) }) };
}

/** Tells the router something and waits until it acknowledges. */
async function announce(bench: WorkerBench, name: string, fields: JsonObject, kind: string, id: string) {
  const { session } = bench;
  const payload = { authority: session.authority, target_worker_authority: session.authority, ...fields };
  const ack = await session.heard(
    (message) =>
      message.name === APPLIED &&
      textAt(message.payload, 'kind') === kind &&
      textAt(message.payload, 'id') === id,
    () => session.bus.publish(envelope(name, payload, 'dual')),
    session.patienceMs,
  );
  insist(ack !== undefined, `${kind} ${id} is not acknowledged within ${session.patienceMs} ms`);
  return ack;
}

async function addModel(bench: WorkerBench, model: string, mappings: JsonObject[] = []) {
  const { configuration } = bench.session.coordinator;
  const publication = { model, aliases: [], mappings, control_mode: 'manual' };
  configuration.models.set(model, publication);
  configuration.revision += 1;
  return announce(bench, EVENT_NAMES.routerModelUpdated, { model: publication }, 'model_updated', model);
}

async function addKey(bench: WorkerBench, grants: string[], keyId = randomUUID()) {
  const { configuration } = bench.session.coordinator;
  const key = `sk-${randomUUID()}`;
  const token_hash = createHash('sha256').update(key).digest('hex');
  const entry = { key_id: keyId, token_hash, allowed_models: grants, expires_at: null, rate_limit: null };
  configuration.keys.set(keyId, entry);
  configuration.revision += 1;
  const ack = await announce(bench, EVENT_NAMES.routerKeyUpdated, { key_id: keyId }, 'key_updated', keyId);
  return { key, keyId, ack };
}

/** A model with one replica, and a key for it. */
async function published(bench: WorkerBench, prefix: string): Promise<Published> {
  const model = `${prefix}-${randomUUID().slice(0, 8)}`;
  const replica = await bench.replica();
  const circuit = makeCircuit(bench.session, `conformance-${bench.checkId}`, {}, [replica.port]);
  await bench.create([circuit]);
  bench.owns(circuit);
  await addModel(bench, model, [{ endpoint_id: circuit['endpoint_id'] ?? '', ratio: 1 }]);
  const { key, keyId } = await addKey(bench, [model]);
  return { model, key, keyId };
}

function complete(
  bench: WorkerBench,
  model: string,
  key: string | undefined,
  path = '/v1/chat/completions',
): Promise<Answer> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const body = { model, messages: [{ role: 'user', content: 'hello' }] };
  return bench.client({}).send('POST', `${path}?${bench.checkId}`, { body, headers });
}

/** A fault in the completions of one check. */
function completions(fault: string, checkId: string, status: number): Mutation {
  return answers(fault, 'POST /v1/chat/completions', (exchange) => {
    if (exchange.query.has(checkId)) exchange.status = status;
  });
}

export const ROUTER_CHECKS: readonly WorkerCheck[] = [
  {
    ...common,
    id: 'router.created',
    section: '4.2',
    title: 'acknowledges a new circuit',
    run: async (bench) => {
      const circuit = makeCircuit(bench.session, 'conformance-router.created', {}, []);
      bench.owns(circuit);
      await bench.create([circuit]);
    },
    mutation: {
      fault: 'does not',
      rewriter: () => ({
        message: (message) => {
          if (textAt(message.payload, 'circuits.0.app') === 'conformance-router.created')
            message.dropped = true;
        },
      }),
    },
  },
  {
    ...common,
    id: 'router.model-acknowledged',
    section: '4.3',
    title: 'acknowledges a publication with node, kind and name',
    run: async (bench) => {
      const { payload } = await addModel(bench, `acked-${randomUUID()}`);
      const node = textAt(bench.session.coordinator.registration, 'node_id');
      expectMatch(payload, { node_id: node, kind: 'model_updated' }, 'the acknowledgement');
    },
    mutation: acks('names another node', 'acked-', ({ payload }) => put(payload, 'node_id', randomUUID())),
  },
  {
    ...common,
    id: 'router.key-pulled',
    section: '4.3',
    title: 'pulls the configuration for a key hint before it acknowledges it',
    run: async (bench) => {
      const { coordinator } = bench.session;
      const before = coordinator.callsOf('GET', '/router-config').length;
      const { ack } = await addKey(bench, ['any'], `key-pulled-${randomUUID()}`);
      insist(coordinator.callsOf('GET', '/router-config').length > before, 'nothing was pulled');
      expectMatch(ack?.payload, { kind: 'key_updated' }, 'the acknowledgement');
    },
    mutation: acks('is silent', 'key-pulled-', (message) => {
      message.dropped = true;
    }),
  },
  {
    ...common,
    id: 'router.serves',
    section: '5.4',
    title: 'serves a published model to a key that is granted it',
    run: async (bench) => {
      const { model, key } = await published(bench, 'served');
      expectStatus(await complete(bench, model, key), 200);
    },
    mutation: completions('refuses it', 'router.serves', 403),
  },
  ...(['no key', 'unknown key', 'not granted', 'not published'] as const).map(refusalCheck),
  {
    ...common,
    id: 'router.key-removed',
    section: '4.3',
    title: 'applies the removal of a key at once and acknowledges it',
    run: async (bench) => {
      const { model, key, keyId } = await published(bench, 'revoked');
      const { configuration } = bench.session.coordinator;
      configuration.keys.delete(keyId);
      configuration.revision += 1;
      await announce(bench, EVENT_NAMES.routerKeyRemoved, { key_id: keyId }, 'key_removed', keyId);
      expectStatus(await complete(bench, model, key), 401);
    },
    mutation: completions('lets it in all the same', 'router.key-removed', 200),
  },
  {
    ...common,
    id: 'router.models',
    section: '5.4',
    title: 'lists the granted models that are published',
    run: async (bench) => {
      const { model, key } = await published(bench, 'listed');
      const headers = { authorization: `Bearer ${key}` };
      const { json } = await bench.client({}).send('GET', '/v1/models', { headers });
      const names = listAt(json, 'data').map((one) => textAt(one, 'id'));
      insist(names.join() === model, `it lists ${names.join()}`);
    },
    mutation: answers('lists nothing', 'GET /v1/models', ({ body }) => put(body, 'data', [])),
  },
];

function refusalCheck(what: 'no key' | 'unknown key' | 'not granted' | 'not published'): WorkerCheck {
  const id = `router.${what.replace(' ', '-')}`;
  const refusals = {
    'no key': { status: 401, code: 'missing_api_key' },
    'unknown key': { status: 401, code: 'invalid_api_key' },
    'not granted': { status: 403, code: 'model_not_allowed' },
    'not published': { status: 404, code: 'model_not_found' },
  };
  const { status, code } = refusals[what];
  return {
    ...common,
    id,
    section: '5.4',
    title: `answers ${status} ${code} for ${what}`,
    run: async (bench) => {
      const { model, key } = await published(bench, 'guarded');
      const other = `other-${randomUUID()}`;
      if (what === 'not granted') await addModel(bench, other);
      const asked = what.startsWith('not') ? other : model;
      const sent = {
        'no key': undefined,
        'unknown key': 'sk-unknown',
        'not granted': key,
        'not published': key,
      };
      const answer = await complete(bench, asked, sent[what]);
      expectStatus(answer, status);
      expectMatch(answer.json, { error: { code } }, answer.request);
    },
    mutation: completions('lets it in', id, 200),
  };
}
