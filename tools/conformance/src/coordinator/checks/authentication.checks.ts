import { expectAnswer, expectStatus } from '../../checking/expect.js';
import { answers, type Exchange } from '../../mutation/mutation.js';
import type { CoordinatorBench } from '../coordinator-bench.js';
import { type CoordinatorCheck, jwt } from '../coordinator-check.js';

/** A circuit that only these checks ask for, and nobody has. */
const NOBODY = '00000000-0000-4000-8000-0000000000a1';
const EXPIRED = 1_000_000_000;
const CLAIMS = { sub: 'conformance' };

type Headers = Readonly<Record<string, string>>;

interface Form {
  readonly id: string;
  readonly title: string;
  readonly headers: (secret: string) => Headers;
  readonly accepted: boolean;
}

const FORMS: readonly Form[] = [
  {
    id: 'bare-secret',
    title: 'accepts the secret in X-BackendAI-Token',
    headers: (secret) => ({ 'x-backendai-token': secret }),
    accepted: true,
  },
  {
    id: 'bearer-secret',
    title: 'accepts "Bearer <secret>" in X-BackendAI-Token',
    headers: (secret) => ({ 'x-backendai-token': `Bearer ${secret}` }),
    accepted: true,
  },
  {
    id: 'backendai-secret',
    title: 'accepts "BackendAI <secret>" in X-BackendAI-Token',
    headers: (secret) => ({ 'x-backendai-token': `BackendAI ${secret}` }),
    accepted: true,
  },
  {
    id: 'lower-case-prefix',
    title: 'refuses "bearer <secret>" in X-BackendAI-Token',
    headers: (secret) => ({ 'x-backendai-token': `bearer ${secret}` }),
    accepted: false,
  },
  {
    id: 'no-credential',
    title: 'refuses a call without credentials',
    headers: () => ({}),
    accepted: false,
  },
  {
    id: 'wrong-secret',
    title: 'refuses a wrong secret',
    headers: () => ({ 'x-backendai-token': 'not-the-secret' }),
    accepted: false,
  },
  {
    id: 'jwt',
    title: 'accepts a JWT signed with the secret in Authorization',
    headers: (secret) => ({ authorization: `Bearer ${jwt(CLAIMS, secret)}` }),
    accepted: true,
  },
  {
    id: 'jwt-lower-case-scheme',
    title: 'reads the scheme of Authorization in any case',
    headers: (secret) => ({ authorization: `bearer ${jwt(CLAIMS, secret)}` }),
    accepted: true,
  },
  {
    id: 'jwt-behind-empty-header',
    title: 'reads Authorization when X-BackendAI-Token is empty',
    headers: (secret) => ({ 'x-backendai-token': '', authorization: `Bearer ${jwt(CLAIMS, secret)}` }),
    accepted: true,
  },
  {
    id: 'jwt-expired',
    title: 'refuses an expired JWT',
    headers: (secret) => ({ authorization: `Bearer ${jwt({ ...CLAIMS, exp: EXPIRED }, secret)}` }),
    accepted: false,
  },
  {
    id: 'jwt-other-secret',
    title: 'refuses a JWT signed with another secret',
    headers: (secret) => ({ authorization: `Bearer ${jwt(CLAIMS, `${secret}-other`)}` }),
    accepted: false,
  },
  {
    id: 'plain-secret-in-authorization',
    title: 'refuses the plain secret in Authorization',
    headers: (secret) => ({ authorization: `Bearer ${secret}` }),
    accepted: false,
  },
  {
    id: 'no-rescue',
    title: 'does not let a good JWT rescue a wrong X-BackendAI-Token',
    headers: (secret) => ({ 'x-backendai-token': 'nope', authorization: `Bearer ${jwt(CLAIMS, secret)}` }),
    accepted: false,
  },
];

/** Each form of credentials on its own; the mutation turns the verdict over for requests of that form only. */
function formCheck({ id, title, headers, accepted }: Form): CoordinatorCheck {
  return {
    id: `authentication.${id}`,
    section: '5.1',
    title,
    run: async (bench) => {
      const answer = await bench.anonymous('GET', `/api/circuit/${NOBODY}`, {
        headers: headers(bench.target.apiSecret),
      });
      expectStatus(answer, accepted ? 404 : 401);
    },
    mutation: answers(
      accepted ? 'does not know this form of the secret' : 'lets this form in',
      `GET /api/circuit/${NOBODY}`,
      (exchange) => {
        if (isSame(exchange, headers)) exchange.status = accepted ? 401 : 404;
      },
    ),
  };
}

/** The secret is not known here, so the shape of the credentials is compared: prefix, length and decoded claims. */
function isSame({ sentHeaders }: Exchange, headers: (secret: string) => Headers): boolean {
  const shape = (sent: Readonly<Record<string, unknown>>): string =>
    `${shapeOf(sent['x-backendai-token'])} ${shapeOf(sent['authorization'])}`;
  return shape(sentHeaders) === shape(headers(SECRET_OF_PROOFS));
}

/** What mutations are proved with. */
const SECRET_OF_PROOFS = 'test-api-secret';

function shapeOf(header: unknown): string {
  return typeof header === 'string' ? header : '-';
}

export const AUTHENTICATION_CHECKS: readonly CoordinatorCheck[] = [
  ...FORMS.map(formCheck),
  {
    id: 'authentication.unsupported-method',
    section: '5.1',
    title: 'names an unsupported scheme of Authorization',
    run: async (bench) => {
      const answer = await bench.anonymous('GET', '/api/worker', {
        headers: { authorization: 'Basic Zm9v' },
      });
      expectAnswer(answer, 401, { msg: 'Unsupported authorization method Basic' });
    },
    mutation: answers('does not name the scheme', 'GET /api/worker', ({ sentHeaders, body }) => {
      if (sentHeaders['authorization'] === 'Basic Zm9v') Object.assign(body ?? {}, { msg: 'Unauthorized' });
    }),
  },
  {
    id: 'authentication.routing-first',
    section: '2',
    title: 'answers 404 for an unknown path before it asks for the secret',
    run: async (bench) => expectStatus(await bench.anonymous('GET', '/api/no-such-thing'), 404),
    mutation: answers('asks for the secret first', 'GET /api/no-such-thing', (exchange) => {
      exchange.status = 401;
    }),
  },
  ...openPaths([
    { path: '/status', open: true },
    { path: '/health/livez', open: true },
    { path: '/health/status', open: false },
  ]),
];

function openPaths(paths: readonly { path: `/${string}`; open: boolean }[]): CoordinatorCheck[] {
  return paths.map(({ path, open }) => ({
    id: `authentication.${path.slice(1).replace('/', '-')}`,
    section: '2',
    title: open ? `answers GET ${path} without the secret` : `asks for the secret on GET ${path}`,
    run: async (bench: CoordinatorBench) =>
      expectStatus(await bench.anonymous('GET', path), open ? 200 : 401),
    mutation: answers('guards the wrong paths', `GET ${path}`, (exchange) => {
      if (exchange.sentHeaders['x-backendai-token'] === undefined) exchange.status = open ? 401 : 200;
    }),
  }));
}
