import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BackingServiceError } from '../backing-service.error.js';
import type { BackingServiceStart } from '../backing-service.port.js';
import { ManagedProcess } from '../process/managed-process.js';
import { asAccount } from './as-account.js';
import { initdbArguments } from './postgres-settings.js';
import type { Account } from './run-account.js';

/** Creates the cluster in `dataDir` when it is not there yet. A run that was cut short is started afresh. */
export async function initialiseCluster(
  initdb: string,
  dataDir: string,
  account: Account | null,
  start: BackingServiceStart,
): Promise<void> {
  mkdirSync(start.dir, { recursive: true, mode: 0o700 });
  if (account) chownSync(start.dir, account.uid, account.gid);
  if (existsSync(join(dataDir, 'PG_VERSION'))) return;
  const unfinished = `${dataDir}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  await runInitdb(initdb, unfinished, account, start);
  renameSync(unfinished, dataDir);
}

async function runInitdb(
  initdb: string,
  target: string,
  account: Account | null,
  start: BackingServiceStart,
): Promise<void> {
  const passwordFile = join(start.dir, 'password.tmp');
  writeFileSync(passwordFile, `${start.password}\n`, { mode: 0o600 });
  if (account) chownSync(passwordFile, account.uid, account.gid);
  try {
    const args = initdbArguments(target, passwordFile, start.durability === 'throwaway');
    const spec = { command: initdb, args, cwd: start.dir, logFile: start.logFile };
    const child = await ManagedProcess.start(asAccount(spec, account, [start.dir, initdb]));
    const { code } = await child.exited;
    if (code === 0) return;
    throw new BackingServiceError(
      `PostgreSQL could not create its data directory. The end of ${start.logFile}:\n${child.logTail()}`,
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
}
