import { randomUUID } from 'node:crypto';
import { aNumber, expectAnswer, expectMatch, expectStatus, insist, matching } from '../../checking/expect.js';
import { at, isObject, type Json, textAt } from '../../checking/json.js';
import { answers, type Exchange, setField } from '../../mutation/mutation.js';
import type { CoordinatorBench } from '../coordinator-bench.js';
import { type CoordinatorCheck, isSignedWith, jwt, readJwt } from '../coordinator-check.js';
import { USER } from '../endpoint-item.js';

const MINT = 'POST /v2/endpoints/:id/token';
const EXP = 1_893_456_000;
const COLUMNS =
  'id,app,protocol,worker,app_mode,frontend_mode,port,subdomain,envs,arguments,open_to_public,allowed_client_ips,user_id,endpoint_id,runtime_variant,session_ids'.split(
    ',',
  );
const path = (id: string): string => `/v2/endpoints/${id}/token`;

/** A token of a fresh endpoint on a WILDCARD worker, and what belongs to it. */
async function mint(bench: CoordinatorBench, exp: Json) {
  const worker = await bench.worker('wildcard');
  const endpoint = await bench.endpoint(worker, { serviceName: 'with-token' });
  const answer = await bench.call('POST', path(endpoint.id), { user_uuid: USER, exp });
  expectStatus(answer, 200);
  return { worker, endpoint, token: textAt(answer.json, 'token') };
}

/** Writes another token in place of the one minted, signed with the secret of the proofs. */
const forged =
  (when: (exchange: Exchange) => boolean, change: Record<string, Json>) =>
  (exchange: Exchange): void => {
    const { claims } = readJwt(textAt(exchange.body, 'token'));
    if (isObject(claims) && when(exchange))
      setField(exchange, 'token', jwt({ ...claims, ...change }, SECRET_OF_PROOFS));
  };

/** What mutations are proved with. */
const SECRET_OF_PROOFS = 'test-jwt-secret-for-vectors-only-32b';

const sentExp =
  (exp: Json) =>
  ({ sent }: Exchange): boolean =>
    at(sent, 'exp') === exp;

export const TOKEN_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'tokens.claims',
    section: '5.2',
    title: 'puts every column of the circuit, the URL, the user and the expiry into the claims',
    needs: ['bus', 'jwt'],
    run: async (bench) => {
      const { worker, endpoint, token } = await mint(bench, '2030-01-01T00:00:00Z');
      const circuit = await bench.circuit(worker);
      const columns = Object.fromEntries(COLUMNS.map((name) => [name, at(circuit, name) ?? null]));
      const app_url = matching(new RegExp(`^${endpoint.url.replace(/\/$/, '')}/?$`));
      const stamps = { created_at: aNumber, updated_at: aNumber };
      expectMatch(
        readJwt(token).claims,
        { ...columns, ...stamps, user: USER, exp: EXP, app_url },
        'the claims',
      );
    },
    mutation: answers(
      'names another user',
      MINT,
      forged(sentExp('2030-01-01T00:00:00Z'), { user: randomUUID() }),
    ),
  },
  {
    id: 'tokens.no-routes',
    section: '5.2',
    title: 'tells no addresses of replicas in a token',
    needs: ['bus'],
    run: async (bench) => {
      const { claims } = readJwt((await mint(bench, 1_893_456_001)).token);
      insist(at(claims, 'route_info') === undefined, 'the claims hold route_info');
    },
    mutation: answers('tells them', MINT, forged(sentExp(1_893_456_001), { route_info: [] })),
  },
  {
    id: 'tokens.signature',
    section: '5.2',
    title: 'signs with HS256 and the jwt_secret',
    needs: ['bus', 'jwt'],
    run: async (bench) => {
      const { token } = await mint(bench, 1_893_456_002);
      expectMatch(readJwt(token).header, { alg: 'HS256', typ: 'JWT' }, 'the header');
      insist(
        isSignedWith(token, bench.target.jwtSecret ?? ''),
        'the signature is not that of the jwt_secret',
      );
    },
    mutation: answers('signs with another secret', MINT, (exchange) => {
      if (sentExp(1_893_456_002)(exchange))
        setField(exchange, 'token', `${textAt(exchange.body, 'token').slice(0, -4)}AAAA`);
    }),
  },
  {
    id: 'tokens.expiry-seconds',
    section: '3.1',
    title: 'takes exp as UNIX seconds',
    needs: ['bus'],
    run: async (bench) => {
      const { claims } = readJwt((await mint(bench, EXP)).token);
      expectMatch(claims, { exp: EXP }, 'the claims');
    },
    mutation: answers('takes it for milliseconds', MINT, forged(sentExp(EXP), { exp: 1_893_456 })),
  },
  {
    id: 'tokens.expiry-past',
    section: '3.1',
    title: 'signs a past expiry as well',
    needs: ['bus'],
    run: async (bench) => {
      const { claims } = readJwt((await mint(bench, '2020-01-01T00:00:00Z')).token);
      expectMatch(claims, { exp: 1_577_836_800 }, 'the claims');
    },
    mutation: answers('refuses it', MINT, (exchange) => {
      if (sentExp('2020-01-01T00:00:00Z')(exchange)) exchange.status = 400;
    }),
  },
  {
    id: 'tokens.unknown-endpoint',
    section: '3.1',
    title: 'answers 404 for an endpoint without a circuit',
    run: async (bench) => {
      const answer = await bench.call('POST', path(randomUUID()), { user_uuid: USER, exp: EXP });
      expectStatus(answer, 404);
    },
    mutation: answers('answers 400', MINT, (exchange) => {
      if (exchange.status === 404) exchange.status = 400;
    }),
  },
  {
    id: 'tokens.bad-user',
    section: '3.1',
    title: 'answers 400 for a user that is no UUID',
    needs: ['bus'],
    run: async (bench) => {
      const { id } = await bench.endpoint(await bench.worker('wildcard'));
      const answer = await bench.call('POST', path(id), { user_uuid: 'x', exp: EXP });
      expectAnswer(answer, 400, { msg: 'Input validation error' });
    },
    mutation: answers('answers 500', MINT, (exchange) => {
      if (at(exchange.sent, 'user_uuid') === 'x') exchange.status = 500;
    }),
  },
];
