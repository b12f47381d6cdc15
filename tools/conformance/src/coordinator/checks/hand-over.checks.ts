import { randomUUID } from 'node:crypto';
import { aUuid, expectAnswer, expectStatus, insist, matching } from '../../checking/expect.js';
import { at, put, textAt } from '../../checking/json.js';
import { answers, sentWith, setField } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { errorVector } from '../error-vectors.js';
import { AUTH, configuration, configure, onApp, openApp } from '../interactive.js';

/** What comes before a circuit of an interactive app: the session, the address, and refusals. */
export const HAND_OVER_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'interactive.configuration',
    section: '3.2',
    title: 'stores a session and answers a token',
    run: async (bench) => {
      const body = { ...configuration(randomUUID()), kernel_host: 'stored.test' };
      expectAnswer(await bench.call('POST', '/v2/conf', body), 200, { token: aUuid });
    },
    mutation: answers('answers a token that is no UUID', 'POST /v2/conf', (exchange) => {
      if (sentWith('kernel_host', 'stored.test')(exchange)) setField(exchange, 'token', 'secret');
    }),
  },
  {
    id: 'interactive.configuration-missing',
    section: '3.2',
    title: 'refuses a session without login_session_token, which may be null',
    run: async (bench) => {
      const { login_session_token: _, ...rest } = configuration(randomUUID());
      expectAnswer(await bench.call('POST', '/v2/conf', rest), 400, { msg: 'Input validation error' });
    },
    mutation: answers('takes it for null', 'POST /v2/conf', (exchange) => {
      if (at(exchange.sent, 'login_session_token') === undefined) exchange.status = 200;
    }),
  },
  {
    id: 'interactive.configuration-no-session',
    section: '3.2',
    title: 'answers 400 invalid-session-parameter for a session without id',
    run: async (bench) => {
      const body = configuration(randomUUID());
      put(body, 'session.id', null);
      const { type = '', error_code = '' } = errorVector('conf-without-session');
      expectAnswer(await bench.call('POST', '/v2/conf', body), 400, { type, error_code });
    },
    mutation: answers('answers 500', 'POST /v2/conf', (exchange) => {
      if (at(exchange.sent, 'session.id') === null) exchange.status = 500;
    }),
  },
  {
    id: 'interactive.configuration-prefix',
    section: '5.1',
    title: 'compares POST /v2/conf with the bare secret only',
    run: async (bench) => {
      const headers = { 'x-backendai-token': `Bearer ${bench.target.apiSecret}` };
      const answer = await bench.anonymous('POST', '/v2/conf', {
        headers,
        body: configuration(randomUUID()),
      });
      if (answer.status === 200)
        bench.skipIfOpen(await bench.anonymous('POST', '/v2/conf', { body: configuration(randomUUID()) }));
      expectStatus(answer, 401);
    },
    mutation: answers('knows prefixes', 'POST /v2/conf', (exchange) => {
      if (String(exchange.sentHeaders['x-backendai-token']).startsWith('Bearer ')) exchange.status = 200;
    }),
  },
  {
    id: 'interactive.add',
    section: '3.2',
    title: 'builds the address of the hand-over without checking anything',
    run: async (bench) => {
      const [token, session] = [randomUUID(), randomUUID()];
      const path = `/v2/proxy/${token}/${session}/add?app=jupyter&protocol=http`;
      const answer = await bench.anonymous('GET', path);
      expectAnswer(answer, 200, { code: 200, url: matching(/\/v2\/proxy\/auth\?/) });
      const { searchParams } = new URL(textAt(answer.json, 'url'));
      const got = ['app', 'protocol', 'token', 'session_id'].map((name) => searchParams.get(name));
      insist(got.join() === ['jupyter', 'http', token, session].join(), `the parameters are ${got.join()}`);
    },
    mutation: answers('forgets the session', 'GET /v2/proxy/:token/:session/add', (exchange) => {
      setField(exchange, 'url', 'http://x.test/v2/proxy/auth?app=jupyter&protocol=http');
    }),
  },

  {
    id: 'interactive.unknown-token',
    section: '3.2',
    title: 'answers 404 for an unknown token',
    run: async (bench) => {
      const session = { token: randomUUID(), session_id: randomUUID() };
      expectAnswer(await openApp(bench, session, { app: 'none' }), 404, errorVector('token-not-found'));
    },
    mutation: answers(
      'answers 401',
      AUTH,
      onApp('none', (exchange) => (exchange.status = 401)),
    ),
  },
  {
    id: 'interactive.other-session',
    section: '3.2',
    title: 'answers 401 E20007 for the token of another session',
    run: async (bench) => {
      const { token } = await configure(bench);
      const answer = await openApp(bench, { token, session_id: randomUUID() }, { app: 'mixed' });
      expectAnswer(answer, 401, errorVector('session-mismatch'));
    },
    mutation: answers(
      'answers 404',
      AUTH,
      onApp('mixed', (exchange) => (exchange.status = 404)),
    ),
  },
  {
    id: 'interactive.malformed-token',
    section: '2',
    title: 'answers 400 for a token that is no UUID',
    run: async (bench) => {
      const session = { token: 'nope', session_id: randomUUID() };
      expectStatus(await openApp(bench, session, { app: 'garbled' }), 400);
    },
    mutation: answers(
      'answers 500',
      AUTH,
      onApp('garbled', (exchange) => (exchange.status = 500)),
    ),
  },
  {
    id: 'interactive.protocol',
    section: '3.2',
    title: 'refuses an unknown protocol',
    run: async (bench) => {
      const session = await configure(bench);
      expectStatus(await openApp(bench, session, { app: 'odd', protocol: 'bogus' }), 400);
    },
    mutation: answers(
      'answers 503',
      AUTH,
      onApp('odd', (exchange) => (exchange.status = 503)),
    ),
  },
  {
    id: 'interactive.addresses',
    section: '3.2',
    title: 'refuses a list of client addresses that is none',
    run: async (bench) => {
      const session = await configure(bench);
      expectStatus(await openApp(bench, session, { app: 'listed', allowed_client_ips: 'bogus' }), 400);
    },
    mutation: answers(
      'ignores it',
      AUTH,
      onApp('listed', (exchange) => (exchange.status = 503)),
    ),
  },
  {
    id: 'interactive.no-worker',
    section: '3.2',
    phase: 'alone',
    title: 'answers 503 when no worker carries the protocol',
    run: async (bench) => {
      const answer = await openApp(bench, await configure(bench), { app: 'lonely', protocol: 'grpc' });
      bench.skipIfElsewhere(answer.text);
      expectAnswer(answer, 503, errorVector('no-worker-available'));
    },
    mutation: answers(
      'answers 404',
      AUTH,
      onApp('lonely', (exchange) => (exchange.status = 404)),
    ),
  },
];
