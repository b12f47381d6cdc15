import { aNumber, aText, demand, expectMatch, insist, matching } from '../../checking/expect.js';
import { put, textAt } from '../../checking/json.js';
import { answers, type Mutation, type WorkerCall } from '../../mutation/mutation.js';
import type { WorkerBench } from '../worker-bench.js';
import { ADDRESSED, EVERY_MODE, type WorkerCheck } from '../worker-check.js';

/** A fault in the calls of the worker. */
function calls(fault: string, change: (call: WorkerCall) => void): Mutation {
  return { fault, rewriter: () => ({ call: change }) };
}

const aBoolean = demand('true or false', (value) => typeof value === 'boolean');
const aList = demand('a list', (value) => Array.isArray(value));
const aMode = matching(/^(wildcard|port|router)$/);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const START_CHECKS: readonly WorkerCheck[] = [
  {
    id: 'start.order',
    section: '2.2',
    modes: EVERY_MODE,
    title: 'registers, pulls its circuits and sends the first heartbeat, in this order',
    run: async ({ session: { coordinator } }) => {
      const first = (method: string, ending: string): number =>
        coordinator.calls.findIndex((call) => call.method === method && call.path.endsWith(ending));
      const order = [
        first('PUT', '/api/worker'),
        first('GET', '/circuits'),
        first('PATCH', coordinator.workerId),
      ];
      insist(
        order.every((place) => place >= 0),
        `some calls are missing: ${order.join()}`,
      );
      insist(order.join() === order.toSorted((a, b) => a - b).join(), `the order is ${order.join()}`);
      return Promise.resolve();
    },
    mutation: calls('asks for its circuits in another way', (call) => {
      if (call.path.endsWith('/circuits')) call.method = 'POST';
    }),
  },
  {
    id: 'start.registration',
    section: '2.1',
    modes: EVERY_MODE,
    title: 'registers with every required field in its type',
    run: async ({ session: { coordinator } }) => {
      const expected = {
        authority: aText,
        frontend_mode: aMode,
        protocol: 'http',
        hostname: aText,
        tls_listen: aBoolean,
        tls_advertised: aBoolean,
        api_port: aNumber,
        accepted_traffics: aList,
        filtered_apps_only: aBoolean,
      };
      expectMatch(coordinator.registration, expected, 'the registration');
      return Promise.resolve();
    },
    mutation: calls('sends a port as text', ({ method, body }) => {
      if (method === 'PUT') put(body, 'filtered_apps_only', 'no');
    }),
  },
  {
    id: 'start.credentials',
    section: '2',
    modes: EVERY_MODE,
    title: 'sends the secret with every call',
    run: async ({ session: { coordinator, options } }) => {
      const forms = ['', 'Bearer ', 'BackendAI '].map((prefix) => `${prefix}${options.apiSecret}`);
      for (const { method, path, headers } of coordinator.calls)
        insist(forms.includes(String(headers['x-backendai-token'])), `${method} ${path} carries no secret`);
      return Promise.resolve();
    },
    mutation: calls('forgets the secret of heartbeats', ({ method, headers }) => {
      if (method === 'PATCH') headers['x-backendai-token'] = 'nope';
    }),
  },
  {
    id: 'start.request-id',
    section: '2',
    modes: EVERY_MODE,
    title: 'sends a request id with every call, another each time',
    run: async ({ session: { coordinator } }) => {
      const ids = coordinator.calls.map(({ headers }) => String(headers['x-backendai-requestid']));
      insist(
        ids.every((id) => UUID.test(id)),
        `the ids are ${ids.join()}`,
      );
      insist(new Set(ids).size === ids.length, 'an id is used again');
      return Promise.resolve();
    },
    mutation: calls('sends the same each time', ({ headers }) => {
      headers['x-backendai-requestid'] = '00000000-0000-4000-8000-000000000000';
    }),
  },
  ...[
    earlyCheck('pulled', '2.4', 'serves a circuit of its first pull'),
    earlyCheck('raced', '6.4', 'keeps a circuit that was announced while the first pull was under way'),
  ],
];

function earlyCheck(kind: 'pulled' | 'raced', section: string, title: string): WorkerCheck {
  return {
    id: `start.${kind}`,
    section,
    modes: ADDRESSED,
    title,
    run: async (bench: WorkerBench) => {
      const circuit = bench.session.early.get(kind)?.circuit ?? {};
      const ask = () => bench.request(circuit, 'GET', `/${kind}`);
      const answer = await bench.until(ask, ({ status }) => status === 200, 'it is not served');
      insist(textAt(answer.json, 'replica') === kind, `it is served by ${answer.text}`);
    },
    mutation: answers('does not know it', `GET /${kind}`, (exchange) => {
      exchange.status = 404;
    }),
  };
}

export const DEPARTURE_CHECKS: readonly WorkerCheck[] = [
  {
    id: 'departure.delete',
    section: '6.1',
    modes: EVERY_MODE,
    phase: 'last',
    needs: ['departure'],
    deadlineMs: 90_000,
    title: 'says that it leaves',
    run: async ({ session: { coordinator, options } }) => {
      await options.stopWorker?.();
      const left = (): boolean => coordinator.callsOf('DELETE', coordinator.workerId).length > 0;
      const { departureMs = 60_000 } = options;
      insist(await coordinator.until(left, departureMs), `no DELETE came within ${departureMs} ms`);
    },
    mutation: calls('leaves silently', (call) => {
      if (call.method === 'DELETE') call.path = '/elsewhere';
    }),
  },
];
