import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startThrowawayService } from '@penstock/backing-services';

import { REPOSITORY_ROOT } from '../../support/repository-root.ts';
import { startStockCoordinator } from '../stock/stock-coordinator.ts';
import { startStockWorker, type StockWorker, type StockWorkerOptions } from '../stock/stock-worker.ts';
import type { Closing } from './closing.ts';
import { createDatabase, databaseUrl } from './database.ts';
import { startOurCoordinator } from './our-coordinator.ts';
import { choosePort, choosePorts } from './ports.ts';
import { SECRETS } from './secrets.ts';
import type { CoordinatorPlace, Site, WorkerPlace } from './site.ts';
import { endStarted, noteStarted, recordStartsIn } from './started-processes.ts';

/** Starts databases, coordinators and real workers, as much side by side as they can. */
export async function startSite(closing: Closing): Promise<Site> {
  const dir = mkdtempSync(join(tmpdir(), 'pi-'));
  chmodSync(dir, 0o755);
  recordStartsIn(join(dir, 'started'));
  closing.add('files', () => {
    endStarted();
    return Promise.resolve(removeFiles(dir));
  });
  const [postgresUrl, stockRedis, ourRedis] = await allStarted(
    startStore(closing, 'postgres'),
    startStore(closing, 'redis'),
    startStore(closing, 'redis'),
  );
  const setup = { dir, postgresUrl, closing };
  const [stock, ports, wildcards] = await allStarted(
    startStock(setup, stockRedis),
    startPorts(setup, ourRedis),
    startWildcards(setup, ourRedis),
  );
  return { dir, postgresUrl, stock, ports, wildcards };
}

/** Waits for all, also when one fails: what is still starting could not be stopped. @throws the first failure */
async function allStarted<A, B, C>(
  first: Promise<A>,
  second: Promise<B>,
  third: Promise<C>,
): Promise<[A, B, C]> {
  await Promise.allSettled([first, second, third]);
  return Promise.all([first, second, third]);
}

/** `PENSTOCK_INTEROP_KEEP=1` leaves configurations and logs. */
function removeFiles(dir: string): void {
  if (process.env['PENSTOCK_INTEROP_KEEP'] === '1') process.stderr.write(`Configurations and logs: ${dir}\n`);
  else rmSync(dir, { recursive: true, force: true });
}

interface Setup {
  readonly dir: string;
  readonly postgresUrl: string;
  readonly closing: Closing;
}

/** A server of its own for tests. @returns its URL */
export async function startStore(closing: Closing, name: 'postgres' | 'redis'): Promise<string> {
  const toolsDir = join(REPOSITORY_ROOT, '.tools');
  const store = await startThrowawayService(name, {
    toolsDir,
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  // Not PostgreSQL: ended at once it leaves shared memory behind. It is only started here, and always closed.
  if (name === 'redis') noteStarted(store.pid);
  closing.add('stores', () => store.dispose());
  return store.url;
}

async function startStock({ dir, postgresUrl, closing }: Setup, redisUrl: string): Promise<CoordinatorPlace> {
  const database = await createDatabase(postgresUrl, 'appproxy');
  const setup = { name: 'stock-coordinator', dir, redisUrl, secrets: SECRETS };
  const coordinator = await startStockCoordinator({ ...setup, databaseUrl: database });
  closing.add('coordinators', () => coordinator.stop());
  return { url: coordinator.url, redisUrl };
}

async function startOurs(setup: Setup, name: string, redisUrl: string): Promise<CoordinatorPlace> {
  const { dir, postgresUrl, closing } = setup;
  const database = databaseUrl(postgresUrl, name.replaceAll('-', '_'));
  const coordinator = await startOurCoordinator({ name, dir, redisUrl, databaseUrl: database });
  closing.add('coordinators', () => coordinator.stop());
  return { url: coordinator.url, redisUrl };
}

async function startPorts(setup: Setup, redisUrl: string): Promise<Site['ports']> {
  const place = await startOurs(setup, 'ours-ports', redisUrl);
  const [http, tcp] = await startWorkers(setup, place, [
    { authority: 'port-http', frontend: await portFrontend(8) },
    { authority: 'port-tcp', frontend: await portFrontend(4), protocol: 'tcp', accepts: ['interactive'] },
  ]);
  if (!http || !tcp) throw new Error('a worker is missing');
  return { ...place, http, tcp };
}

async function startWildcards(setup: Setup, redisUrl: string): Promise<Site['wildcards']> {
  const place = await startOurs(setup, 'ours-wildcards', redisUrl);
  const pairFrontend = async (): Promise<Frontend> => wildcardFrontend('.pair.localhost');
  const [single, first, second] = await startWorkers(setup, place, [
    { authority: 'wildcard', frontend: await wildcardFrontend('.single.localhost') },
    { authority: 'pair', frontend: await pairFrontend(), accepts: ['inference'] },
    { authority: 'pair', frontend: await pairFrontend(), accepts: ['inference'] },
  ]);
  if (!single || !first || !second) throw new Error('a worker is missing');
  return { ...place, single, pair: [first, second] };
}

type Frontend = StockWorkerOptions['frontend'];
type Wanted = Pick<StockWorkerOptions, 'authority' | 'frontend' | 'protocol' | 'accepts'>;

async function startWorkers(
  { dir, closing }: Setup,
  { url: coordinatorUrl, redisUrl }: CoordinatorPlace,
  wanted: readonly Wanted[],
): Promise<WorkerPlace[]> {
  const workers: StockWorker[] = [];
  for (const [index, each] of wanted.entries()) {
    const name = `${each.authority}-${index}`;
    const worker = await startStockWorker({
      ...each,
      name,
      dir,
      coordinatorUrl,
      redisUrl,
      secrets: SECRETS,
    });
    closing.add('workers', () => worker.stop());
    workers.push(worker);
  }
  await Promise.all(workers.map(({ ready }) => ready));
  return workers.map(({ authority, frontend, process: { pid }, logFile }) => ({
    authority,
    frontend,
    pid,
    logFile,
  }));
}

async function portFrontend(count: number): Promise<Frontend> {
  const firstPort = await choosePorts(count);
  return { mode: 'port', firstPort, lastPort: firstPort + count - 1 };
}

async function wildcardFrontend(domain: string): Promise<Frontend> {
  return { mode: 'wildcard', domain, port: await choosePort() };
}
