import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BackingServiceError } from '../backing-service.error.js';
import type { BackingService, BackingServiceStart, RunningService } from '../backing-service.port.js';
import { assertPortFree } from '../process/assert-port-free.js';
import { ManagedProcess, type StopStep } from '../process/managed-process.js';
import { assertReady } from '../process/assert-ready.js';
import { asAccount } from './as-account.js';
import { initialiseCluster } from './initialise-cluster.js';
import { answersQueries } from './postgres-probe.js';
import { postgresSettings, POSTGRES_USER } from './postgres-settings.js';
import { provisionPostgres } from './provision-postgres.js';
import { type Account, runAccount } from './run-account.js';
import { stopLeftoverServer } from './stop-leftover.js';

const TITLE = 'PostgreSQL';
const READY_TIMEOUT_MS = 60_000;
// SIGINT ends sessions and writes a checkpoint; SIGQUIT leaves the rest to recovery at the next start.
const STOP_STEPS: StopStep[] = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
];

/** PostgreSQL 18 from an npm package, or 15 and later from the machine. */
export const postgresService: BackingService = {
  name: 'postgres',
  title: TITLE,
  defaultPort: 10432,
  provision: () => Promise.resolve(provisionPostgres(process.env.PATH ?? '')),
  start: startPostgres,
};

async function startPostgres(start: BackingServiceStart): Promise<RunningService> {
  const { initdb, postgres } = programsOf(start);
  const dataDir = join(start.dir, 'data');
  const account = runAccount(dataDir);
  await stopLeftoverServer(dataDir);
  await assertPortFree(start.port, TITLE, start.portFlag);
  await initialiseCluster(initdb, dataDir, account, start);
  writeSettings(dataDir, account, start);
  const spec = { command: postgres, args: ['-D', dataDir], cwd: dataDir, logFile: start.logFile };
  const server = await ManagedProcess.start(asAccount(spec, account, [dataDir, postgres]));
  const url = `postgresql://${POSTGRES_USER}:${start.password}@127.0.0.1:${start.port}/postgres`;
  const timeoutMs = start.readyTimeoutMs ?? READY_TIMEOUT_MS;
  await assertReady({ title: TITLE, server, timeoutMs, logFile: start.logFile, stopSteps: STOP_STEPS }, () =>
    answersQueries(url),
  );
  return running(server, url);
}

function programsOf(start: BackingServiceStart): { initdb: string; postgres: string } {
  const { installation } = start;
  const programs = installation.kind === 'binaries' ? installation.programs : {};
  const { initdb, postgres } = programs;
  if (!initdb || !postgres) throw new BackingServiceError('PostgreSQL runs from its programs only.');
  return { initdb, postgres };
}

function writeSettings(dataDir: string, account: Account | null, start: BackingServiceStart): void {
  const file = join(dataDir, 'postgresql.conf');
  writeFileSync(file, postgresSettings(start));
  chmodSync(file, 0o600);
  if (account) chownSync(file, account.uid, account.gid);
}

function running(server: ManagedProcess, url: string): RunningService {
  return {
    url,
    pid: server.pid,
    exited: server.exited.then(() => undefined),
    stop: async () => {
      await server.stop(STOP_STEPS);
    },
  };
}
