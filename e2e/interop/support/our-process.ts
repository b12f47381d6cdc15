import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ManagedProcess, waitUntil } from '@penstock/backing-services';
import { stringify } from 'yaml';

import { call } from '../../support/http.ts';
import { REPOSITORY_ROOT } from '../../support/repository-root.ts';
import { noteStarted } from './started-processes.ts';

const READY_TIMEOUT_MS = 60_000;
const STOP = [{ signal: 'SIGTERM', waitMs: 30_000 }] as const;

export interface OurSetup {
  readonly name: string;
  /** Where configuration and log go. */
  readonly dir: string;
}

export interface OurProcess {
  readonly process: ManagedProcess;
  readonly logFile: string;
  stop(): Promise<void>;
}

/** Starts one built service with a configuration file, without waiting for it. */
export async function startOurs(
  { name, dir }: OurSetup,
  app: 'coordinator' | 'router',
  config: object,
): Promise<OurProcess> {
  const configFile = join(dir, `${name}.yaml`);
  writeFileSync(configFile, stringify(config), { mode: 0o600 });
  const { NODE_OPTIONS: _tests, ...env } = process.env;
  const logFile = join(dir, `${name}.log`);
  const running = await ManagedProcess.start({
    command: process.execPath,
    args: [join(REPOSITORY_ROOT, 'apps', app, 'dist', 'main.js'), '--config', configFile],
    env: { ...env, NODE_ENV: 'production' },
    logFile,
  });
  noteStarted(running.pid);
  return { process: running, logFile, stop: async () => void (await running.stop([...STOP])) };
}

/** @throws with the end of its log when the process ends before it is ready, or takes too long. */
export async function untilReady(
  name: string,
  { process: running }: OurProcess,
  readyUrl: string,
): Promise<void> {
  const isReady = async (): Promise<boolean> => (await call(readyUrl)).status === 200;
  if (await waitUntil(isReady, READY_TIMEOUT_MS, () => running.exit !== null)) return;
  throw new Error(`${name} is not ready:\n${running.logTail()}`);
}
