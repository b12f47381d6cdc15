import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ManagedProcess, waitUntil } from '@penstock/backing-services';

import { call } from '../../support/http.ts';
import { noteStarted } from '../support/started-processes.ts';
import type { StockSetup } from './common-tables.ts';
import { stockProgram } from './release.ts';
import { toToml, type TomlTables } from './toml.ts';

/** Generous: a dozen Python processes may start at the same time on two cores. */
const READY_TIMEOUT_MS = 120_000;
const STOP_GRACE_MS = 15_000;

export interface StockProcess {
  readonly process: ManagedProcess;
  readonly logFile: string;
  /** Ends it in good order: a worker says goodbye to its coordinator. By force when it does not follow. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): Promise<void>;
}

/** Starts one service of the real packages without waiting for it. */
export async function startStock(
  setup: StockSetup,
  service: 'app-proxy-coordinator' | 'app-proxy-worker',
  tables: TomlTables,
): Promise<StockProcess> {
  const config = join(setup.dir, `${setup.name}.toml`);
  writeFileSync(config, toToml(tables), { mode: 0o600 });
  const logFile = join(setup.dir, `${setup.name}.log`);
  const running = await ManagedProcess.start({
    command: stockProgram('backend.ai'),
    args: [service, 'start-server', '-f', config],
    cwd: setup.dir,
    env: stockEnvironment(setup),
    logFile,
  });
  noteStarted(running.pid);
  return { process: running, logFile, stop: () => stop(running), kill: () => kill(running) };
}

async function stop(running: ManagedProcess): Promise<void> {
  running.signal('SIGTERM');
  if (await waitUntil(() => Promise.resolve(running.exit !== null), STOP_GRACE_MS)) return;
  await kill(running);
}

/** The service is a process below the one that was started; together they are a session of their own. */
async function kill(running: ManagedProcess): Promise<void> {
  if (running.exit === null) process.kill(-running.pid, 'SIGKILL');
  await running.exited;
}

/** @throws with the end of its log when the process ends before it answers, or takes too long. */
export async function untilAnswers(
  setup: StockSetup,
  { process: running }: StockProcess,
  url: string,
): Promise<void> {
  const isReady = async (): Promise<boolean> => (await call(`${url}/status`)).status === 200;
  if (await waitUntil(isReady, READY_TIMEOUT_MS, () => running.exit !== null)) return;
  const state = running.exit === null ? 'does not answer' : `ended with ${running.exit.code ?? 'a signal'}`;
  throw new Error(`${setup.name} ${state}:\n${running.logTail()}`);
}

/** The variables of the real packages; those that steer another Python are left out. */
export function stockEnvironment({ dir, name }: Pick<StockSetup, 'dir' | 'name'>): NodeJS.ProcessEnv {
  const metrics = join(dir, `${name}-metrics`);
  mkdirSync(metrics, { recursive: true });
  const others = Object.entries(process.env).filter(([key]) => !key.startsWith('PYTHON'));
  return {
    ...Object.fromEntries(others),
    PYTHONUNBUFFERED: '1',
    BACKENDAI_PROMETHEUS_DIR: metrics,
    TMPDIR: dir,
  };
}
