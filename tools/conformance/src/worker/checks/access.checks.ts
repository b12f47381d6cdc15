import { createHmac } from 'node:crypto';
import { expectMatch, expectStatus, insist, matching } from '../../checking/expect.js';
import type { JsonObject } from '../../checking/json.js';
import { jwt } from '../../coordinator/coordinator-check.js';
import { answers } from '../../mutation/mutation.js';
import { tokenClaims } from '../circuit.js';
import { ADDRESSED, type WorkerCheck } from '../worker-check.js';

interface Case {
  readonly id: string;
  readonly title: string;
  /** Value of Authorization; `undefined` sends none. */
  readonly authorization: (circuit: JsonObject, secret: string) => string | undefined;
  /** Refused with this code; without one it is let in. */
  readonly code?: string;
}

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function unsigned(claims: JsonObject): string {
  return `${base64url({ alg: 'none', typ: 'JWT' })}.${base64url(claims)}.`;
}

function hs512(claims: JsonObject, secret: string): string {
  const signed = `${base64url({ alg: 'HS512', typ: 'JWT' })}.${base64url(claims)}`;
  return `${signed}.${createHmac('sha512', secret).update(signed).digest('base64url')}`;
}

const bearer = (token: string): string => `Bearer ${token}`;

const CASES: readonly Case[] = [
  {
    id: 'bearer',
    title: 'lets the token of the circuit in as Bearer',
    authorization: (circuit, secret) => bearer(jwt(tokenClaims(circuit), secret)),
  },
  {
    id: 'backendai',
    title: 'lets the token of the circuit in as BackendAI',
    authorization: (circuit, secret) => `BackendAI ${jwt(tokenClaims(circuit), secret)}`,
  },
  {
    id: 'no-expiry',
    title: 'lets a token without an expiry in',
    authorization: (circuit, secret) => {
      const { exp: _, ...claims } = tokenClaims(circuit);
      return bearer(jwt(claims, secret));
    },
  },
  {
    id: 'lower-case-scheme',
    title: 'refuses the scheme in lower case with E20007',
    authorization: (circuit, secret) => `bearer ${jwt(tokenClaims(circuit), secret)}`,
    code: 'E20007',
  },
  {
    id: 'basic',
    title: 'refuses another scheme with E20007',
    authorization: () => 'Basic Zm9v',
    code: 'E20007',
  },
  {
    id: 'none',
    title: 'refuses a request without Authorization with E20006',
    authorization: () => undefined,
    code: 'E20006',
  },
  {
    id: 'garbage',
    title: 'refuses what is no token with E20008',
    authorization: () => bearer('abc'),
    code: 'E20008',
  },
  {
    id: 'expired',
    title: 'refuses an expired token with E20008',
    authorization: (circuit, secret) => bearer(jwt({ ...tokenClaims(circuit), exp: 1_700_000_000 }, secret)),
    code: 'E20008',
  },
  {
    id: 'other-secret',
    title: 'refuses a token signed with another secret with E20008',
    authorization: (circuit, secret) => bearer(jwt(tokenClaims(circuit), `${secret}-other`)),
    code: 'E20008',
  },
  {
    id: 'alg-none',
    title: 'refuses an unsigned token with E20008',
    authorization: (circuit) => bearer(unsigned(tokenClaims(circuit))),
    code: 'E20008',
  },
  {
    id: 'alg-hs512',
    title: 'refuses HS512 with E20008',
    authorization: (circuit, secret) => bearer(hs512(tokenClaims(circuit), secret)),
    code: 'E20008',
  },
  {
    id: 'other-circuit',
    title: 'refuses the token of another circuit with E20009',
    authorization: (circuit, secret) =>
      bearer(jwt({ ...tokenClaims(circuit), id: '00000000-0000-4000-8000-000000000001' }, secret)),
    code: 'E20009',
  },
];

function caseCheck({ id, title, authorization, code }: Case): WorkerCheck {
  const path = `/access/${id}` as const;
  return {
    id: `access.${id}`,
    section: '5.2',
    modes: ADDRESSED,
    title,
    run: async (bench) => {
      const circuit = await bench.circuit({}, [await bench.replica()]);
      const value = authorization(circuit, bench.session.options.jwtSecret);
      const headers: Record<string, string> = value === undefined ? {} : { authorization: value };
      const answer = await bench.request(circuit, 'GET', path, { headers });
      expectStatus(answer, code === undefined ? 200 : 401);
      if (code !== undefined)
        expectMatch(answer.json, { msg: matching(new RegExp(`^${code}: `)) }, answer.request);
    },
    mutation: answers(code === undefined ? 'refuses it' : 'lets it in', `GET ${path}`, (exchange) => {
      exchange.status = code === undefined ? 401 : 200;
    }),
  };
}

const common = { section: '5.2', modes: ADDRESSED } as const;

export const ACCESS_CHECKS: readonly WorkerCheck[] = [
  ...CASES.map(caseCheck),
  {
    ...common,
    id: 'access.body',
    section: '2.6',
    title: 'answers a refusal with the body invalid-credentials',
    run: async (bench) => {
      const circuit = await bench.circuit({}, [await bench.replica()]);
      const expected = {
        type: 'https://api.backend.ai/probs/invalid-credentials',
        title: 'Authentication credentials not valid.',
        error_code: 'agent_auth_unauthorized',
      };
      expectMatch((await bench.request(circuit, 'GET', '/access-body')).json, expected, 'the body');
    },
    mutation: answers('has a title of its own', 'GET /access-body', ({ body }) => {
      Object.assign(body as JsonObject, { title: 'No.' });
    }),
  },
  {
    ...common,
    id: 'access.query',
    title: 'does not read a token from the query',
    run: async (bench) => {
      const circuit = await bench.circuit({}, [await bench.replica()]);
      const query = `?token=${bench.token(circuit)}&bai-auth-token=${bench.token(circuit)}`;
      expectStatus(await bench.request(circuit, 'GET', `/access-query${query}`), 401);
    },
    mutation: answers('does', 'GET /access-query', (exchange) => {
      exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'access.open',
    title: 'asks for no token on an open circuit',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      expectStatus(await bench.request(circuit, 'GET', '/access-open'), 200);
    },
    mutation: answers('asks for one', 'GET /access-open', (exchange) => {
      exchange.status = 401;
    }),
  },
  {
    ...common,
    id: 'access.preflight',
    title: 'asks for no token on OPTIONS',
    run: async (bench) => {
      const circuit = await bench.circuit({}, [await bench.replica()]);
      const { status } = await bench.request(circuit, 'OPTIONS', '/access-preflight');
      insist(status < 300, `OPTIONS is answered ${status}`);
    },
    mutation: answers('asks for one', 'OPTIONS /access-preflight', (exchange) => {
      exchange.status = 401;
    }),
  },
  {
    ...common,
    id: 'access.address-refused',
    section: '5.5',
    title: 'refuses an address outside the list of the circuit with 403 E20011',
    run: async (bench) => {
      const circuit = await bench.circuit({ open_to_public: true, allowed_client_ips: '203.0.113.0/24' }, [
        await bench.replica(),
      ]);
      const answer = await bench.request(circuit, 'GET', '/access-refused');
      expectStatus(answer, 403);
      expectMatch(answer.json, { msg: matching(/^E20011: /) }, answer.request);
    },
    mutation: answers('lets it in', 'GET /access-refused', (exchange) => {
      exchange.status = 200;
    }),
  },
  {
    ...common,
    id: 'access.address-listed',
    section: '5.5',
    title: 'lets a listed address in, blanks and host bits tolerated',
    run: async (bench) => {
      const list = ' 203.0.113.0/24 , ,127.0.0.5/8,::1';
      const circuit = await bench.circuit({ open_to_public: true, allowed_client_ips: list }, [
        await bench.replica(),
      ]);
      expectStatus(await bench.request(circuit, 'GET', '/access-listed'), 200);
    },
    mutation: answers('refuses it', 'GET /access-listed', (exchange) => {
      exchange.status = 403;
    }),
  },
  {
    ...common,
    id: 'access.address-first',
    title: 'looks at the address before the token',
    run: async (bench) => {
      const circuit = await bench.circuit({ allowed_client_ips: '203.0.113.0/24' }, [await bench.replica()]);
      expectStatus(await bench.request(circuit, 'GET', '/access-first'), 403);
    },
    mutation: answers('looks at the token first', 'GET /access-first', (exchange) => {
      exchange.status = 401;
    }),
  },
  {
    ...common,
    id: 'access.forwarded-for',
    section: '5.5',
    title: 'does not believe X-Forwarded-For of an untrusted peer',
    run: async (bench) => {
      const circuit = await bench.circuit({ open_to_public: true, allowed_client_ips: '203.0.113.0/24' }, [
        await bench.replica(),
      ]);
      const headers = { 'x-forwarded-for': '203.0.113.7' };
      expectStatus(await bench.request(circuit, 'GET', '/access-claimed', { headers }), 403);
    },
    mutation: answers('believes it', 'GET /access-claimed', (exchange) => {
      exchange.status = 200;
    }),
  },
];
