import { expectAnswer, expectStatus, insist } from '../../checking/expect.js';
import { isObject, type Json, listAt, put } from '../../checking/json.js';
import { answers, setField } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { errorVector } from '../error-vectors.js';

const NOBODY = '00000000-0000-4000-8000-000000000001';

export const ERROR_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'errors.unauthorized',
    section: '2.6',
    title: 'answers wrong credentials with the body auth-failed',
    run: async (bench) => {
      const answer = await bench.anonymous('GET', `/api/worker/${NOBODY}`);
      expectAnswer(answer, 401, errorVector('unauthorized'));
    },
    mutation: answers('says nothing about the cause', 'GET /api/worker/:id', (exchange) => {
      if (exchange.status === 401) setField(exchange, 'msg', 'no');
    }),
  },
  {
    id: 'errors.key-order',
    section: '2.6',
    title: 'writes type, title, error_code, msg and data in this order',
    run: async (bench) => {
      const { json } = await bench.call('PUT', '/api/worker', { hostname: 'only' });
      const keys = isObject(json) ? Object.keys(json).join() : 'no object';
      insist(keys === 'type,title,error_code,msg,data', `the keys are ${keys}`);
    },
    mutation: answers('starts with the title', 'PUT /api/worker', (exchange) => {
      if (exchange.status === 400 && isObject(exchange.body) && isObject(exchange.sent)) {
        if (exchange.sent['hostname'] === 'only') exchange.body = { title: '', ...exchange.body };
      }
    }),
  },
  {
    id: 'errors.worker-not-found',
    section: '2.6',
    title: 'answers 404 E00002 for an unknown worker',
    run: async (bench) =>
      expectAnswer(await bench.call('GET', `/api/worker/${NOBODY}`), 404, errorVector('worker-not-found')),
    mutation: answers('says nothing about the kind of object', 'GET /api/worker/:id', (exchange) => {
      if (exchange.status === 404) setField(exchange, 'title', 'Not found.');
    }),
  },
  {
    id: 'errors.circuit-not-found',
    section: '2.6',
    title: 'answers 404 E00002 for an unknown circuit',
    run: async (bench) =>
      expectAnswer(await bench.call('GET', `/api/circuit/${NOBODY}`), 404, errorVector('circuit-not-found')),
    mutation: answers('calls everything a worker', 'GET /api/circuit/:id', (exchange) => {
      if (exchange.status === 404) setField(exchange, 'title', 'E00002: No such worker.');
    }),
  },
  {
    id: 'errors.url-not-found',
    section: '2.6',
    title: 'answers an unknown path with url-not-found and the path',
    run: async (bench) => expectAnswer(await bench.call('GET', '/nope'), 404, errorVector('url-not-found')),
    mutation: answers('does not repeat the path', 'GET /nope', (exchange) => {
      setField(exchange, 'data', '/');
    }),
  },
  {
    id: 'errors.method-not-allowed',
    section: '2.6',
    title: 'answers 405 with the allowed methods',
    run: async (bench) => {
      const answer = await bench.call('POST', '/api/worker', {});
      const { msg, title, error_code } = errorVector('method-not-allowed');
      expectAnswer(answer, 405, { title: title ?? '', error_code: error_code ?? '', msg: msg ?? '' });
      const allowed = listAt(answer.json, 'data.allowed_methods');
      insist(
        allowed.includes('GET') && allowed.includes('PUT'),
        `allowed_methods is ${JSON.stringify(allowed)}`,
      );
    },
    mutation: answers('names no methods', 'POST /api/worker', ({ body }) => {
      put(body, 'data.allowed_methods', []);
    }),
  },
  {
    id: 'errors.malformed-body',
    section: '2.6',
    title: 'answers 400 "Malformed body" for a body that is no JSON',
    run: async (bench) => {
      const answer = await bench.send('PUT', '/api/worker', { raw: '{bad' });
      expectAnswer(answer, 400, errorVector('malformed-body'));
    },
    mutation: answers('takes it for a server error', 'PUT /api/worker', (exchange) => {
      if (exchange.sent === undefined && isJson(exchange.sentHeaders)) exchange.status = 500;
    }),
  },
  {
    id: 'errors.validation',
    section: '2.6',
    title: 'lists missing fields with type, place and message',
    run: async (bench) => {
      const answer = await bench.call('PUT', '/api/worker', {});
      const { msg, type, title, error_code } = errorVector('validation');
      expectAnswer(answer, 400, {
        msg: msg ?? '',
        type: type ?? '',
        title: title ?? '',
        error_code: error_code ?? '',
      });
      const places = listAt(answer.json, 'data.errors');
      const missing = places
        .filter((one) => isObject(one) && one['type'] === 'missing')
        .map((one) => place(one));
      for (const field of ['authority', 'frontend_mode', 'protocol', 'hostname', 'api_port'])
        insist(missing.includes(field), `${field} is not named as missing: ${JSON.stringify(missing)}`);
    },
    mutation: answers('does not say where', 'PUT /api/worker', ({ body, sent }) => {
      if (isObject(sent) && Object.keys(sent).length === 0) put(body, 'data.errors.*.loc', []);
    }),
  },
  {
    id: 'errors.unknown-value',
    section: '2.2',
    title: 'refuses an unknown frontend_mode as an enum error',
    run: async (bench) => {
      const answer = await bench.call('PUT', '/api/worker', { frontend_mode: 'telepathy' });
      expectStatus(answer, 400);
      const found = listAt(answer.json, 'data.errors').find((one) => place(one) === 'frontend_mode');
      insist(isObject(found) && found['type'] === 'enum', `the error is ${JSON.stringify(found)}`);
    },
    mutation: answers('calls it a missing field', 'PUT /api/worker', ({ body, sent }) => {
      if (isObject(sent) && sent['frontend_mode'] === 'telepathy') put(body, 'data.errors.*.type', 'missing');
    }),
  },
  {
    id: 'errors.malformed-id',
    section: '2',
    title: 'answers 400 for an id that is no UUID',
    run: async (bench) => expectStatus(await bench.call('GET', '/api/worker/not-a-uuid'), 400),
    mutation: answers('takes it for a server error', 'GET /api/worker/not-a-uuid', (exchange) => {
      exchange.status = 500;
    }),
  },
  {
    id: 'errors.array-body',
    section: '2',
    title: 'answers 400 for a JSON array as body',
    run: async (bench) => expectStatus(await bench.send('PUT', '/api/worker', { raw: '[1]' }), 400),
    mutation: answers('takes it for a server error', 'PUT /api/worker', (exchange) => {
      if (Array.isArray(exchange.sent)) exchange.status = 500;
    }),
  },
];

function place(error: Json): string {
  return listAt(error, 'loc').map(String).join('.');
}

function isJson(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['content-type'] === 'application/json';
}
