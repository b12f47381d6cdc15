import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { HttpRewriter } from '../mutation/http-rewriter.js';
import type { Rewriter } from '../mutation/mutation.js';
import { type Proof, redOf, refuseRed } from '../mutation/prove-mutations.js';
import { checkWorker } from './run-worker-suite.js';
import { workerChecks } from './worker-checks.js';
import { WorkerSession } from './worker-session.js';
import type { WorkerSuiteOptions } from './worker-suite-options.js';

const HOST = '127.0.0.1';
/** Ports that the suite takes for itself while a worker starts. */
const PORTS_TAKEN = 2;
const WAIT_MS = 10_000;

type Secrets = Pick<WorkerSuiteOptions, 'apiSecret' | 'jwtSecret' | 'redisUrl'>;

/**
 * Proves the checks that only a PORT worker can fail: what a port without a circuit does. That takes no whole worker, so
 * the one here is registered and has a single port that serves nobody. @throws Error when it does not pass faultless.
 */
export async function provePortChecks(secrets: Secrets): Promise<readonly Proof[]> {
  let rewriter: Rewriter = {};
  const free = await freePort();
  const traffic = await HttpRewriter.start({
    targetUrl: () => urlOf(free),
    rewrite: (exchange) => rewriter.answer?.(exchange),
  });
  try {
    return await proveAt(secrets, traffic.port, (by) => {
      rewriter = by;
    });
  } finally {
    await traffic.close();
    free.close();
  }
}

async function proveAt(
  secrets: Secrets,
  port: number,
  rewriteBy: (rewriter: Rewriter) => void,
): Promise<readonly Proof[]> {
  const options = { ...secrets, listen: `${HOST}:0`, waitMs: WAIT_MS };
  const session = await WorkerSession.start({ ...options, onListening: (url) => void join(url, port) });
  const checks = workerChecks('port').filter(({ modes }) => modes.join() === 'port');
  const run = () => checkWorker(session, { ...options, only: checks.map(({ id }) => id).join() });
  try {
    refuseRed(await run());
    const proofs: Proof[] = [];
    for (const { id, mutation } of checks) {
      rewriteBy(mutation.rewriter());
      proofs.push({ id, fault: mutation.fault, found: redOf(await run()), reached: checks.length });
    }
    return proofs;
  } finally {
    await session.close();
  }
}

/** What answers at a port without a circuit. */
function freePort(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(400, { 'content-type': 'application/json', connection: 'close' }).end('{}');
  });
  return new Promise((resolve) => {
    server.listen(0, HOST, () => resolve(server));
  });
}

function urlOf(server: Server): string {
  return `http://${HOST}:${(server.address() as AddressInfo).port}`;
}

/** Registers a worker whose last port is that one, and is heard of once. */
async function join(coordinatorUrl: string, port: number): Promise<void> {
  const registration = {
    ...{ authority: `port-${randomUUID()}`, frontend_mode: 'port', protocol: 'http', hostname: HOST },
    ...{ api_port: port, port_range: [port - PORTS_TAKEN, port], accepted_traffics: ['inference'] },
  };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(registration);
  const signal = AbortSignal.timeout(WAIT_MS);
  const answer = await fetch(`${coordinatorUrl}/api/worker`, { method: 'PUT', headers, body, signal });
  const { id } = (await answer.json()) as { readonly id: string };
  const beat = await fetch(`${coordinatorUrl}/api/worker/${id}`, { method: 'PATCH', signal });
  await beat.arrayBuffer();
}
