import { EVENT_NAMES } from '@penstock/protocol';
import { expectAnswer, expectMatch, expectStatus, insist, matching } from '../../checking/expect.js';
import { put, textAt } from '../../checking/json.js';
import { answers, setField } from '../../mutation/mutation.js';
import { type CoordinatorCheck, isSignedWith, jwt, readJwt } from '../coordinator-check.js';
import { USER } from '../endpoint-item.js';
import { errorVector } from '../error-vectors.js';
import { AUTH, configure, interactiveWorker, onApp, openApp, tcpWorker } from '../interactive.js';

/** What mutations are proved with. */
const SECRET_OF_PROOFS = 'test-jwt-secret-for-vectors-only-32b';

/** Circuits of interactive apps. */
export const INTERACTIVE_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'interactive.answer',
    section: '3.2',
    phase: 'alone',
    title: 'answers the address of the set-up at the worker as JSON',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await interactiveWorker(bench);
      const answer = await openApp(bench, await configure(bench), { app: 'as-json' });
      bench.skipIfElsewhere(answer.text);
      expectAnswer(answer, 200, { redirect_url: matching(/\/setup\?token=/), reuse: false });
      expectMatch(
        await bench.circuit(worker),
        { app: 'as-json', app_mode: 'interactive', user_id: USER },
        'the circuit',
      );
    },
    mutation: answers(
      'calls it reused',
      AUTH,
      onApp('as-json', (exchange) => setField(exchange, 'reuse', true)),
    ),
  },
  {
    id: 'interactive.setup-token',
    section: '5.3',
    phase: 'alone',
    title: 'hands over with a token that names version, redirect and circuit',
    needs: ['bus', 'jwt'],
    run: async (bench) => {
      const worker = await interactiveWorker(bench);
      const answer = await openApp(bench, await configure(bench), { app: 'handed', redirect: '/lab' });
      bench.skipIfElsewhere(answer.text);
      const token = new URL(textAt(answer.json, 'redirect_url')).searchParams.get('token') ?? '';
      const circuit = textAt(await bench.circuit(worker), 'id');
      expectMatch(readJwt(token).claims, { version: 'v2', redirect: '/lab', circuit }, 'the claims');
      insist(
        isSignedWith(token, bench.target.jwtSecret ?? ''),
        'the signature is not that of the jwt_secret',
      );
    },
    mutation: answers(
      'names no circuit',
      AUTH,
      onApp('handed', (exchange) => {
        setField(
          exchange,
          'redirect_url',
          `http://x.test/setup?token=${jwt({ version: 'v2' }, SECRET_OF_PROOFS)}`,
        );
      }),
    ),
  },
  {
    id: 'interactive.redirect',
    section: '3.2',
    phase: 'alone',
    title: 'redirects with 308 when JSON is not asked for',
    needs: ['bus'],
    run: async (bench) => {
      await interactiveWorker(bench);
      const answer = await openApp(
        bench,
        await configure(bench),
        { app: 'browser' },
        { accept: 'text/html' },
      );
      bench.skipIfElsewhere(answer.headers.location ?? '');
      expectStatus(answer, 308);
      insist(answer.headers.location?.includes('/setup?token=') === true, 'Location is not the set-up');
    },
    mutation: answers(
      'redirects with 302',
      AUTH,
      onApp('browser', (exchange) => (exchange.status = 302)),
    ),
  },
  {
    id: 'interactive.reuse',
    section: '3.2',
    phase: 'alone',
    title: 'uses a circuit again for the same session and app, and announces it again',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await interactiveWorker(bench);
      const session = await configure(bench);
      bench.skipIfElsewhere((await openApp(bench, session, { app: 'shared' })).text);
      expectAnswer(await openApp(bench, session, { app: 'shared' }), 200, { reuse: true });
      insist((await bench.circuits(worker)).length === 1, 'there are more circuits than one');
      await worker.event(EVENT_NAMES.circuitCreated, 1);
    },
    mutation: answers(
      'never does',
      AUTH,
      onApp('shared', (exchange) => setField(exchange, 'reuse', false)),
    ),
  },
  {
    id: 'interactive.no-reuse',
    section: '3.2',
    phase: 'alone',
    title: 'makes another circuit with no_reuse',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await interactiveWorker(bench);
      const session = await configure(bench);
      bench.skipIfElsewhere((await openApp(bench, session, { app: 'fresh' })).text);
      expectAnswer(await openApp(bench, session, { app: 'fresh', no_reuse: 'true' }), 200, { reuse: false });
      insist((await bench.circuits(worker)).length === 2, 'there is no second circuit');
    },
    mutation: answers(
      'ignores it',
      AUTH,
      onApp('fresh', (exchange) => {
        if (exchange.query.has('no_reuse')) setField(exchange, 'reuse', true);
      }),
    ),
  },
  {
    id: 'interactive.subdomain',
    section: '3.2',
    phase: 'alone',
    title: 'takes the wanted label, made fit for a host name',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await interactiveWorker(bench);
      const answer = await openApp(bench, await configure(bench), { app: 'labelled', subdomain: 'my.App' });
      bench.skipIfElsewhere(answer.text);
      expectMatch(await bench.circuit(worker), { subdomain: 'my-app' }, 'the circuit');
    },
    mutation: answers('makes one up', 'GET /api/worker/:id/circuits', ({ body }) => {
      if (textAt(body, 'circuits.0.app') === 'labelled') put(body, 'circuits.0.subdomain', 'app-00000000');
    }),
  },
  {
    id: 'interactive.preopen',
    section: '3.2',
    phase: 'alone',
    title: 'carries preopen as an http circuit whose route keeps the protocol',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await interactiveWorker(bench);
      const answer = await openApp(bench, await configure(bench), { app: 'pre', protocol: 'preopen' });
      bench.skipIfElsewhere(answer.text);
      const expected = { protocol: 'http', route_info: [{ protocol: 'preopen', kernel_port: 30_011 }] };
      expectMatch(await bench.circuit(worker), expected, 'the circuit');
    },
    mutation: answers('keeps preopen', 'GET /api/worker/:id/circuits', ({ body }) => {
      if (textAt(body, 'circuits.0.app') === 'pre') put(body, 'circuits.0.protocol', 'preopen');
    }),
  },
  {
    id: 'interactive.vnc',
    section: '3.2',
    phase: 'alone',
    title: 'places vnc on a TCP worker as a tcp circuit',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await tcpWorker(bench);
      const answer = await openApp(bench, await configure(bench), { app: 'screen', protocol: 'vnc' });
      bench.skipIfElsewhere(answer.text);
      expectMatch(await bench.circuit(worker), { protocol: 'tcp' }, 'the circuit');
    },
    mutation: answers('keeps vnc', 'GET /api/worker/:id/circuits', ({ body }) => {
      if (textAt(body, 'circuits.0.app') === 'screen') put(body, 'circuits.0.protocol', 'vnc');
    }),
  },
  {
    id: 'interactive.tcp',
    section: '3.2',
    phase: 'alone',
    title: 'never reports reuse for tcp',
    needs: ['bus'],
    run: async (bench) => {
      await tcpWorker(bench);
      const session = await configure(bench);
      for (let times = 0; times < 2; times += 1) {
        const answer = await openApp(bench, session, { app: 'shell', protocol: 'tcp' });
        bench.skipIfElsewhere(answer.text);
        expectAnswer(answer, 200, { reuse: false });
      }
    },
    mutation: answers(
      'reports it',
      AUTH,
      onApp('shell', (exchange) => setField(exchange, 'reuse', true)),
    ),
  },
  ...portChecks(),
];

function portChecks(): CoordinatorCheck[] {
  const wanted = (port: string): Readonly<Record<string, string>> => ({
    app: `port-${port}`,
    port,
    no_reuse: 'true',
  });
  return [
    {
      id: 'interactive.port',
      section: '3.2',
      phase: 'alone',
      title: 'takes the wanted port of a PORT worker, once',
      needs: ['bus'],
      run: async (bench) => {
        const worker = await bench.worker('interactive-port');
        worker.mayHaveCircuits = true;
        const session = await configure(bench);
        bench.skipIfElsewhere((await openApp(bench, session, wanted('10206'))).text);
        expectMatch(await bench.circuit(worker), { port: 10_206 }, 'the circuit');
        expectAnswer(await openApp(bench, session, wanted('10206')), 409, errorVector('port-taken'));
      },
      mutation: answers(
        'gives another',
        AUTH,
        onApp('port-10206', (exchange) => {
          if (exchange.status === 409) exchange.status = 200;
        }),
      ),
    },
    {
      id: 'interactive.port-outside',
      section: '2.3',
      phase: 'alone',
      title: 'takes a port outside the range for a taken one',
      needs: ['bus'],
      run: async (bench) => {
        await bench.worker('interactive-port');
        const answer = await openApp(bench, await configure(bench), wanted('19999'));
        bench.skipIfElsewhere(answer.text);
        expectStatus(answer, 409);
      },
      mutation: answers(
        'answers 400',
        AUTH,
        onApp('port-19999', (exchange) => (exchange.status = 400)),
      ),
    },
  ];
}
