import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { answers, freePort, startChild } from '../measure/child.ts';
import { PROXY_CORE } from '../measure/cores.ts';
import { pinned } from '../measure/machine.ts';
import { startCoordinatorStub } from './coordinator-stub.ts';
import type { Bench, Target } from './target.ts';

const ROUTER = join(import.meta.dirname, '../../../apps/router/dist/main.js');

/**
 * The built router as it ships: keys, publications, retries, timeouts, metrics and its default log (to a file). Only
 * the event bus is off, because nothing changes during a measurement.
 */
export async function startPenstock({ mockPort, workDir }: Bench): Promise<Target> {
  if (!existsSync(ROUTER))
    throw new Error('The router is not built; "./penstock bench proxy" builds it first.');
  const coordinator = await startCoordinatorStub(mockPort);
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = join(workDir, 'router.yaml');
  mkdirSync(join(workDir, 'data'), { recursive: true });
  writeFileSync(file, configuration({ coordinatorUrl: coordinator.url, port, adminPort, workDir }));
  const child = await startChild({
    command: pinned(PROXY_CORE, [process.execPath, ROUTER, '--config', file]),
    logFile: join(workDir, 'router.log'),
    ready: () => answers(`http://127.0.0.1:${adminPort}/readyz`),
    env: { NODE_ENV: 'production' },
  });
  const stop = async (): Promise<void> => {
    await child.stop();
    coordinator.stop();
  };
  return { name: 'penstock', port, pid: child.pid, stop };
}

interface Ports {
  readonly coordinatorUrl: string;
  readonly port: number;
  readonly adminPort: number;
  readonly workDir: string;
}

/** JSON is YAML too. */
function configuration({ coordinatorUrl, port, adminPort, workDir }: Ports): string {
  return JSON.stringify({
    authority: 'bench',
    hostname: '127.0.0.1',
    data_dir: join(workDir, 'data'),
    coordinator: { url: coordinatorUrl, api_secret: 'bench-secret' },
    redis_url: 'redis://127.0.0.1:1/4',
    events_enabled: false,
    public: { host: '127.0.0.1', port },
    admin: { host: '127.0.0.1', port: adminPort },
  });
}
