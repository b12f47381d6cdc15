import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackingServiceStart, Provisioning, RunningService } from './backing-service.port.js';
import { BACKING_SERVICES, type BackingServiceName } from './backing-services.js';
import { freePort } from './process/free-port.js';

/** A server in a temporary directory, which may be stopped and started again on the same port with the same data. */
export interface ThrowawayService {
  readonly url: string;
  /** Of the process that runs now. */
  readonly pid: number;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it for good and removes its data. */
  dispose(): Promise<void>;
}

/** Starts one backing service for tests: tuned for speed, on a free port. */
export async function startThrowawayService(
  name: BackingServiceName,
  provisioning: Provisioning,
): Promise<ThrowawayService> {
  const service = BACKING_SERVICES[name];
  const dir = mkdtempSync(join(tmpdir(), `penstock-${name}-`));
  const start: BackingServiceStart = {
    installation: await service.provision(provisioning),
    dir,
    port: await freePort(),
    password: 'throwaway',
    logFile: join(dir, `${name}.log`),
    durability: 'throwaway',
  };
  return restartable(await service.start(start), () => service.start(start), dir);
}

function restartable(
  first: RunningService,
  startAgain: () => Promise<RunningService>,
  dir: string,
): ThrowawayService {
  let current = first;
  return {
    url: first.url,
    get pid() {
      return current.pid;
    },
    stop: () => current.stop(),
    start: async () => {
      current = await startAgain();
    },
    dispose: async () => {
      await current.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
