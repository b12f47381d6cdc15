import { connect } from 'node:net';
import { aText, expectMatch, expectStatus, insist } from '../../checking/expect.js';
import { answers } from '../../mutation/mutation.js';
import type { WorkerBench } from '../worker-bench.js';
import { ADDRESSED, type WorkerCheck } from '../worker-check.js';
import type { JsonObject } from '../../checking/json.js';

const common = { section: '5.6', modes: ADDRESSED } as const;

export const REPLICA_CHECKS: readonly WorkerCheck[] = [
  {
    ...common,
    id: 'replicas.refused',
    title: 'answers 502 when the replica refuses the connection',
    run: async (bench) => {
      const gone = await bench.replica();
      const { port } = gone;
      await gone.close();
      const circuit = await bench.circuit({ open_to_public: true }, [{ port }]);
      const answer = await bench.request(circuit, 'GET', '/refused');
      expectStatus(answer, 502);
      expectMatch(answer.json, { error_code: 'kernel_access_unreachable' }, answer.request);
    },
    mutation: answers('answers 504', 'GET /refused', (exchange) => {
      exchange.status = 504;
    }),
  },
  {
    ...common,
    id: 'replicas.hang-up',
    title: 'answers 502 when the replica closes before its head',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      expectStatus(await bench.request(circuit, 'GET', '/hang-up'), 502);
    },
    mutation: answers('answers 500', 'GET /hang-up', (exchange) => {
      exchange.status = 500;
    }),
  },
  {
    ...common,
    id: 'replicas.break-off',
    title: 'breaks its own answer off when the replica dies inside its body',
    deadlineMs: 5_000,
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const whole = await bench.request(circuit, 'GET', '/break').then(
        ({ text }) => text,
        (error: unknown) => {
          insist(error instanceof Error && /no answer/.test(error.message), String(error));
          return undefined;
        },
      );
      insist(whole === undefined, `the part of an answer is passed off as a whole one: ${whole ?? ''}`);
    },
    mutation: answers('ends it as if it were whole', 'GET /break', (exchange) => {
      exchange.broken = false;
    }),
  },
  {
    ...common,
    id: 'streams.unbuffered',
    title: 'passes the first event of a stream on before the second is there',
    deadlineMs: 5_000,
    run: async (bench) => {
      const { circuit, replica } = await bench.serving();
      const { first, rest } = await openStream(bench, circuit);
      insist((await first).includes('data: first'), 'the first event did not come');
      replica.proceed();
      insist((await rest).includes('data: second'), 'the second event did not come');
    },
    mutation: { fault: 'holds the stream back', rewriter: () => ({ holds: (path) => path === '/events' }) },
  },
  {
    ...common,
    id: 'streams.route-removed',
    section: '4.2',
    title: 'lets a stream run to its end when its route is removed',
    deadlineMs: 5_000,
    run: async (bench) => {
      const { circuit, replica } = await bench.serving();
      const { first, rest } = await openStream(bench, circuit, '/removed');
      await first;
      await bench.route(circuit, []);
      await bench.until(
        () => bench.request(circuit, 'GET', '/drained'),
        ({ status }) => status === 503,
        'the route stays',
      );
      replica.proceed();
      insist((await rest).includes('data: second'), 'the stream was cut');
    },
    mutation: answers('keeps the route', 'GET /drained', (exchange) => {
      exchange.status = 200;
    }),
  },
  ...hostChecks(),
];

/** A stream read as raw bytes: its beginning, and all of it. */
async function openStream(bench: WorkerBench, circuit: JsonObject, rest = '') {
  const { hostname, port } = new URL(bench.originOf(circuit));
  const socket = connect(Number(port), hostname);
  const agent = `penstock-conformance (${bench.checkId})`;
  const [begun, ended] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    if (text.includes('data: first')) begun.resolve(text);
    if (text.includes('data: second')) socket.end();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    begun.resolve(text);
    ended.resolve(text);
  });
  bench.atEnd(() => socket.destroy());
  const head = `GET /events${rest} HTTP/1.1\r\nHost: ${bench.hostOf(circuit)}\r\nUser-Agent: ${agent}\r\n`;
  socket.write(`${head}Accept: text/event-stream\r\nConnection: close\r\n\r\n`);
  return Promise.resolve({ first: begun.promise, rest: ended.promise });
}

function hostChecks(): WorkerCheck[] {
  return [
    {
      ...common,
      modes: ['wildcard'],
      id: 'hosts.unknown',
      title: 'answers 404, or 400, for an unknown label',
      run: async (bench) => {
        const answer = await bench.request({ subdomain: 'nobody-is-here' }, 'GET', '/unknown');
        insist(answer.status === 404 || answer.status === 400, `it is answered ${answer.status}`);
        expectMatch(answer.json, { type: aText, title: aText, error_code: aText }, answer.request);
      },
      mutation: answers('lets it in', 'GET /unknown', (exchange) => {
        exchange.status = 200;
      }),
    },
    {
      ...common,
      modes: ['wildcard'],
      id: 'hosts.upper-case',
      title: 'ignores the case of Host',
      run: async (bench) => {
        const { circuit } = await bench.serving();
        const headers = { host: bench.hostOf(circuit).toUpperCase() };
        expectStatus(await bench.request(circuit, 'GET', '/upper', { headers }), 200);
      },
      mutation: answers('does not', 'GET /upper', (exchange) => {
        exchange.status = 404;
      }),
    },
    {
      ...common,
      modes: ['wildcard'],
      id: 'hosts.port',
      title: 'ignores the port in Host',
      run: async (bench) => {
        const { circuit } = await bench.serving();
        const headers = { host: `${bench.hostOf(circuit)}:8443` };
        expectStatus(await bench.request(circuit, 'GET', '/with-port', { headers }), 200);
      },
      mutation: answers('does not', 'GET /with-port', (exchange) => {
        exchange.status = 404;
      }),
    },
    {
      ...common,
      modes: ['port'],
      id: 'hosts.free-port',
      title: 'answers 400 for a port without a circuit',
      run: async (bench) => {
        const circuit = bench.draft();
        expectStatus(await bench.request(circuit, 'GET', '/free'), 400);
      },
      mutation: answers('lets it in', 'GET /free', (exchange) => {
        exchange.status = 200;
      }),
    },
  ];
}
