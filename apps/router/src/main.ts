import 'reflect-metadata';
import cluster from 'node:cluster';
import { loadConfigOrExit, type ConfigSource } from '@penstock/config';
import { createLogger } from '@penstock/observability';
import { readArguments } from './arguments.js';
import { routerConfigSchema, type RouterConfig } from './config/router.config.js';
import { systemClock } from './features/control/index.js';
import {
  EXIT_CONFIG,
  forkWorker,
  onPrimaryLoss,
  StartupError,
  WorkerSupervisor,
} from './features/lifecycle/index.js';
import { describeError } from './system-error.js';
import { runProcess, type RunningProcess } from './run-process.js';

const EXIT_FAILURE = 1;

const { workerIndex, argv } = readArguments(process.argv.slice(2));
const { value, source } = loadConfigOrExit({ service: 'router', schema: routerConfigSchema, argv });
if (value.workers > 1 && cluster.isPrimary) await supervise(value);
else await serve(source);

/** The first process of an instance with several: it serves nothing itself. */
async function supervise(config: RouterConfig): Promise<void> {
  const logger = createLogger({ service: 'router', level: config.log_level });
  const fork = (index: number) => forkWorker(index, argv);
  const supervisor = new WorkerSupervisor({ workers: config.workers, fork, clock: systemClock, logger });
  process.on('SIGTERM', () => supervisor.stop());
  process.on('SIGINT', () => supervisor.stop());
  process.on('SIGHUP', () => supervisor.reload());
  process.exit(await supervisor.run());
}

async function serve(configuration: ConfigSource<RouterConfig>): Promise<void> {
  const running = runProcess(configuration, workerIndex);
  running.catch(refuse);
  let isStopping = false;
  const stop = (): void => {
    // A primary decides about force for its workers: a terminal's signal reaches both, and must not count twice.
    if (isStopping && !cluster.worker?.isConnected()) process.exit(EXIT_FAILURE);
    if (!isStopping) void running.then((router) => router.stop()).then(() => process.exit(0));
    isStopping = true;
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => void running.then((router) => router.reload()));
  endWithPrimary(running);
  process.on('uncaughtException', (error) => void running.then((router) => crash(router.logger, error)));
  await running.catch(() => undefined);
}

/** A worker outlives its primary only to finish what it has begun; without one it can bind nothing. */
function endWithPrimary(starting: Promise<RunningProcess>): void {
  let router: RunningProcess | null = null;
  void starting.then(
    (started) => (router = started),
    () => undefined,
  );
  onPrimaryLoss(() => {
    if (router === null) process.exit(EXIT_FAILURE);
    void router.abandon().then(() => process.exit(0));
  });
}

/** Ends with every reason at once, in words for the operator. */
function refuse(error: unknown): void {
  if (error instanceof StartupError) {
    process.stderr.write(`The router cannot start:\n${error.message}\n`);
    process.exit(EXIT_CONFIG);
  }
  process.stderr.write(`${describeError(error)}\n`);
  process.exit(EXIT_FAILURE);
}

/** What state a process is in after an error nobody caught is unknown; a fresh one is taken up in its slot. */
function crash(logger: { fatal(fields: object, message: string): void }, error: Error): void {
  logger.fatal({ err: error }, 'uncaught error, ending');
  process.exit(EXIT_FAILURE);
}
