import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  readDeviations,
  runWorkerSuite,
  workerCheckList,
  type CheckResult,
  type WorkerMode,
} from '@penstock/conformance';

import { REPOSITORY_ROOT } from '../../support/repository-root.ts';
import { startStockWorker, type Frontend } from '../stock/stock-worker.ts';
import { STOCK_VERSION } from '../stock/release.ts';
import { startOurRouter } from '../support/our-router.ts';
import { choosePort, choosePorts } from '../support/ports.ts';
import { LOOPBACK, SECRETS } from '../support/secrets.ts';
import { site } from '../support/site.ts';

/** A worker that looks for its coordinator at the address, and how to stop it. */
type Start = (coordinatorUrl: string, dir: string) => Promise<{ stop(): Promise<void> }>;

interface Candidate {
  readonly name: string;
  readonly mode: WorkerMode;
  readonly start: Start;
  readonly deviations?: string;
}

const PORTS = 40;

const CANDIDATES: readonly Candidate[] = [
  {
    name: 'the real port worker',
    mode: 'port',
    start: async (url, dir) => startReal(url, dir, await portFrontend()),
    deviations: `worker-port-${STOCK_VERSION}.json`,
  },
  {
    name: 'the real wildcard worker',
    mode: 'wildcard',
    start: async (url, dir) => startReal(url, dir, await wildcardFrontend()),
    deviations: `worker-wildcard-${STOCK_VERSION}.json`,
  },
  {
    name: 'our router in wildcard mode',
    mode: 'wildcard',
    start: (url, dir) => startOurs(url, dir, '.conform.localhost'),
  },
  { name: 'our router in router mode', mode: 'router', start: (url, dir) => startOurs(url, dir) },
];

/** The kit is coordinator, replicas and clients of the worker; all four are checked side by side. */
describe('the conformance suite', () => {
  let running: Map<string, Promise<Map<string, CheckResult>>>;

  beforeAll(async () => {
    running = new Map(CANDIDATES.map((candidate) => [candidate.name, check(candidate)]));
    await Promise.allSettled(running.values());
  }, 180_000);

  describe.each(CANDIDATES)('against $name', ({ name, mode }) => {
    it.each(workerCheckList(undefined, mode))('$section $id: $title', async ({ id }) => {
      const { status = 'missing', detail = '' } = (await running.get(name))?.get(id) ?? {};
      expect(status === 'passed' || status === 'deviates' ? '' : `${status}: ${detail}`).toBe('');
    });
  });
});

async function check({ start, deviations }: Candidate): Promise<Map<string, CheckResult>> {
  const dir = mkdtempSync(join(site().dir, 'k-'));
  let worker: ReturnType<Start> | undefined;
  const stopWorker = async (): Promise<void> => (await worker)?.stop();
  try {
    const { checks } = await runWorkerSuite({
      listen: `${LOOPBACK}:0`,
      apiSecret: SECRETS.api,
      jwtSecret: SECRETS.jwt,
      redisUrl: site().stock.redisUrl,
      onListening: (url) => {
        worker = start(url, dir);
      },
      stopWorker,
      ...(deviations === undefined ? {} : { deviations: readDeviations(listFile(deviations)) }),
    });
    return new Map(checks.map((result) => [result.id, result]));
  } finally {
    await stopWorker();
  }
}

function listFile(name: string): string {
  return join(REPOSITORY_ROOT, 'tools', 'conformance', 'deviations', name);
}

function startReal(coordinatorUrl: string, dir: string, frontend: Frontend): ReturnType<Start> {
  const name = `conform-${frontend.mode}`;
  const { redisUrl } = site().stock;
  return startStockWorker({
    name,
    authority: name,
    dir,
    coordinatorUrl,
    redisUrl,
    frontend,
    secrets: SECRETS,
  });
}

function startOurs(coordinatorUrl: string, dir: string, wildcardDomain?: string): ReturnType<Start> {
  const name = wildcardDomain === undefined ? 'conform-router' : 'conform-ours';
  const place = { name, authority: name, dir, coordinatorUrl, redisUrl: site().stock.redisUrl };
  return startOurRouter({ ...place, ...(wildcardDomain === undefined ? {} : { wildcardDomain }) });
}

async function portFrontend(): Promise<Frontend> {
  const firstPort = await choosePorts(PORTS);
  return { mode: 'port', firstPort, lastPort: firstPort + PORTS - 1 };
}

async function wildcardFrontend(): Promise<Frontend> {
  return { mode: 'wildcard', domain: '.real.localhost', port: await choosePort() };
}
