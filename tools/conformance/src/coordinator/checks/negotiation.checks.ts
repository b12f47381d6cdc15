import { expectAnswer, expectStatus, insist, matching } from '../../checking/expect.js';
import { answers } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';

const NOBODY = '00000000-0000-4000-8000-000000000001';

const NEGOTIATED = [
  { id: 'any', accept: '*/*', type: /^application\/json/, title: 'answers errors as JSON for Accept: */*' },
  {
    id: 'browser',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    type: /^application\/json/,
    title: 'answers a browser list that ends in */* with JSON',
  },
] as const;

function negotiationCheck({ id, accept, type, title }: (typeof NEGOTIATED)[number]): CoordinatorCheck {
  return {
    id: `negotiation.${id}`,
    section: '2.6',
    title,
    run: async (bench) => {
      const answer = await bench.anonymous('GET', '/api/worker', { headers: { accept } });
      expectStatus(answer, 401);
      const got = answer.headers['content-type'] ?? 'nothing';
      insist(type.test(got), `Accept: ${accept} is answered with ${got}`);
    },
    mutation: answers('sends text', 'GET /api/worker', ({ headers, sentHeaders }) => {
      if (sentHeaders['accept'] === accept) headers['content-type'] = 'text/plain';
    }),
  };
}

/** Headers and form of errors. */
export const NEGOTIATION_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'errors.content-type',
    section: '2.6',
    title: 'sends errors as application/json; charset=utf-8',
    run: async (bench) => {
      const answer = await bench.call('DELETE', `/api/worker/${NOBODY}`);
      expectAnswer(
        { ...answer, json: answer.headers['content-type'] ?? '' },
        404,
        'application/json; charset=utf-8',
      );
    },
    mutation: answers('says problem+json', `DELETE /api/worker/${NOBODY}`, ({ headers }) => {
      headers['content-type'] = 'application/problem+json';
    }),
  },
  {
    id: 'errors.cors-any',
    section: '2.6',
    title: 'lets any origin read an error',
    run: async (bench) => {
      const answer = await bench.call('GET', '/api/no-such-thing/either');
      expectAnswer({ ...answer, json: answer.headers['access-control-allow-origin'] ?? '' }, 404, '*');
    },
    mutation: answers('lets none', 'GET /api/no-such-thing/either', ({ headers }) => {
      delete headers['access-control-allow-origin'];
    }),
  },
  {
    id: 'errors.cors-origin',
    section: '2.6',
    title: 'repeats the Origin of a browser',
    run: async (bench) => {
      const origin = 'https://console.example.com';
      const answer = await bench.send('GET', `/api/worker/${NOBODY}`, { headers: { origin } });
      expectAnswer(
        { ...answer, json: answer.headers['access-control-allow-origin'] ?? '' },
        404,
        matching(/^(\*|https:\/\/console\.example\.com)$/),
      );
    },
    mutation: answers('lets another origin in', `GET /api/worker/${NOBODY}`, ({ headers, sentHeaders }) => {
      if (sentHeaders['origin'] !== undefined)
        headers['access-control-allow-origin'] = 'https://other.example.com';
    }),
  },
  ...NEGOTIATED.map(negotiationCheck),
];
