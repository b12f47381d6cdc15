import { absent, expectAnswer, expectMatch, expectStatus, insist } from '../../checking/expect.js';
import { isObject } from '../../checking/json.js';
import { answers, setField } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';

const NOBODY = '00000000-0000-4000-8000-000000000002';

export const REQUEST_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'requests.method-override',
    section: '2',
    title: 'honours X-Method-Override',
    run: async (bench) => {
      const headers = { 'x-method-override': 'PATCH' };
      expectStatus(await bench.send('POST', `/api/worker/${NOBODY}`, { headers }), 404);
    },
    mutation: answers('does not know the header', 'POST /api/worker/:id', (exchange) => {
      exchange.status = 405;
    }),
  },
  {
    id: 'requests.trailing-slash',
    section: '2',
    title: 'does not take a trailing slash for the same path',
    run: async (bench) => expectStatus(await bench.call('GET', '/api/worker/'), 404),
    mutation: answers('is lenient', 'GET /api/worker/', (exchange) => {
      exchange.status = 200;
    }),
  },
  {
    id: 'requests.head',
    section: '2',
    title: 'answers HEAD with 405',
    run: async (bench) => expectStatus(await bench.call('HEAD', '/status'), 405),
    mutation: answers('answers like GET', 'HEAD /status', (exchange) => {
      exchange.status = 200;
    }),
  },
  {
    id: 'requests.no-body',
    section: '2',
    title: 'takes an absent body for an empty object',
    run: async (bench) => {
      const answer = await bench.call('POST', '/v2/endpoints/bulk');
      expectAnswer(answer, 400, { msg: 'Input validation error' });
    },
    mutation: answers('takes it for a malformed one', 'POST /v2/endpoints/bulk', (exchange) => {
      if (exchange.sent === undefined) setField(exchange, 'msg', 'Malformed body');
    }),
  },
  {
    id: 'requests.form-body',
    section: '2',
    title: 'refuses a form as malformed',
    run: async (bench) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      expectAnswer(await bench.send('PUT', '/api/worker', { raw: 'a=1', headers }), 400, {
        msg: 'Malformed body',
      });
    },
    mutation: answers('answers 415', 'PUT /api/worker', (exchange) => {
      if (exchange.sentHeaders['content-type'] === 'application/x-www-form-urlencoded') exchange.status = 415;
    }),
  },
  {
    id: 'requests.numbers-in-strings',
    section: '2',
    title: 'coerces numbers in strings',
    run: async (bench) => {
      const worker = await bench.worker('port', { api_port: '10201', accepted_traffics: ['interactive'] });
      expectMatch(worker.registered, { api_port: 10201 }, 'the registered worker');
    },
    mutation: answers('keeps the string', 'PUT /api/worker', (exchange) => {
      if (isObject(exchange.sent) && exchange.sent['api_port'] === '10201')
        setField(exchange, 'api_port', '10201');
    }),
  },
  {
    id: 'requests.unknown-fields',
    section: '2',
    title: 'ignores unknown fields',
    run: async (bench) => {
      const worker = await bench.worker('wildcard', { colour: 'green' });
      expectMatch(worker.registered, { colour: absent }, 'the registered worker');
    },
    mutation: answers('keeps them', 'PUT /api/worker', (exchange) => {
      if (isObject(exchange.sent) && 'colour' in exchange.sent) setField(exchange, 'colour', 'green');
    }),
  },
  {
    id: 'requests.request-id',
    section: '2',
    title: 'does not echo X-BackendAI-RequestID',
    run: async (bench) => {
      const { headers } = await bench.call('GET', '/v1/api/worker');
      insist(headers['x-backendai-requestid'] === undefined, 'the request id is echoed');
    },
    mutation: answers('echoes it', 'GET /v1/api/worker', ({ headers, sentHeaders }) => {
      headers['x-backendai-requestid'] = String(sentHeaders['x-backendai-requestid']);
    }),
  },
  {
    id: 'requests.server-header',
    section: '2',
    title: 'names itself BackendAI in Server',
    run: async (bench) => {
      const { headers } = await bench.call('GET', '/api/worker');
      insist(headers.server === 'BackendAI', `Server is ${JSON.stringify(headers.server)}`);
    },
    mutation: answers('names its library', 'GET /api/worker', ({ headers, status }) => {
      if (status === 200) headers['server'] = 'python';
    }),
  },
  {
    id: 'requests.preflight',
    section: '2.6',
    title: 'answers a CORS preflight without credentials',
    run: async (bench) => {
      const headers = { origin: 'https://console.example.com', 'access-control-request-method': 'GET' };
      const answer = await bench.anonymous('OPTIONS', '/api/worker', { headers });
      insist(answer.status === 200 || answer.status === 204, `the preflight is answered ${answer.status}`);
      insist(answer.headers['access-control-allow-origin'] !== undefined, 'no origin is allowed');
    },
    mutation: answers('asks for the secret', 'OPTIONS /api/worker', (exchange) => {
      exchange.status = 401;
    }),
  },
];
