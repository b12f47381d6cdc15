import cluster from 'node:cluster';
import type { WorkerProcess } from './worker-supervisor.js';

/** Argument that tells a worker process which one of its instance it is. */
export const WORKER_INDEX_ARGUMENT = '--worker-index';

/** Starts a worker of this very program, sharing the instance's public port. */
export function forkWorker(index: number, argv: readonly string[]): WorkerProcess {
  cluster.setupPrimary({ args: [...argv, WORKER_INDEX_ARGUMENT, String(index)] });
  const worker = cluster.fork();
  return {
    pid: worker.process.pid ?? 0,
    signal: (name) => worker.process.kill(name),
    force: () => worker.process.kill('SIGKILL'),
    onExit: (listener) => worker.once('exit', (code: number | null) => listener(code)),
  };
}
