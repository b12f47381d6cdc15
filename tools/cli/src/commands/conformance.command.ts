import { type Command, Option } from 'commander';
import {
  coordinatorCheckList,
  runCoordinatorSuite,
  runWorkerSuite,
  workerCheckList,
} from '@penstock/conformance';
import { tell } from '../terminal.js';
import { listChecks, type ReportFlags, reportOn, required, withReportOptions } from './conformance-report.js';
import { wholeNumber } from './parse-number.js';

interface WorkerFlags extends ReportFlags {
  readonly listen: string;
  readonly secret?: string;
  readonly jwtSecret?: string;
  readonly redisUrl?: string;
  readonly trafficHost?: string;
  readonly trafficPort?: number;
  readonly wait: number;
  readonly departure?: boolean;
}

interface CoordinatorFlags extends ReportFlags {
  readonly url?: string;
  readonly secret?: string;
  readonly jwtSecret?: string;
  readonly redisUrl?: string;
  readonly slow?: boolean;
  readonly scope: 'appproxy' | 'all';
}

/** `conformance coordinator|worker`: holds any AppProxy peer to the protocol. Exit code 0 conforms, 1 not, 2 wrong use. */
export function addConformanceCommand(program: Command): void {
  const command = program
    .command('conformance')
    .description('hold an AppProxy coordinator or worker, ours or another, to the protocol');
  addCoordinator(command);
  addWorker(command);
}

function addCoordinator(command: Command): void {
  const coordinator = command
    .command('coordinator')
    .description('check a coordinator from outside, as its manager and as its workers')
    .option('--url <url>', 'base URL of the coordinator')
    .option('--secret <secret>', 'its api_secret')
    .option('--jwt-secret <secret>', 'its jwt_secret: checks the claims of tokens too')
    .option('--redis-url <url>', 'Redis of its event bus: checks everything that needs a worker too')
    .option('--slow', 'also what waits for time-outs of the coordinator')
    .addOption(
      new Option('--scope <scope>', 'appproxy leaves out what only Penstock has')
        .choices(['appproxy', 'all'])
        .default('all'),
    );
  withReportOptions(coordinator).action(async (flags: CoordinatorFlags) => {
    if (flags.list) return listChecks(coordinatorCheckList(flags.only));
    await reportOn(flags, (deviations, onResult) =>
      runCoordinatorSuite({
        url: required('--url', flags.url),
        apiSecret: required('--secret', flags.secret),
        jwtSecret: flags.jwtSecret,
        redisUrl: flags.redisUrl,
        slow: flags.slow,
        scope: flags.scope,
        only: flags.only,
        deviations,
        onResult,
      }),
    );
  });
}

function addWorker(command: Command): void {
  const worker = command
    .command('worker')
    .description('check a worker from outside, as its coordinator, its replicas and its clients')
    .option(
      '--listen <host:port>',
      'where the worker finds its coordinator, which is this suite',
      '127.0.0.1:10200',
    )
    .option('--secret <secret>', 'api_secret of the worker')
    .option('--jwt-secret <secret>', 'jwt_secret of the worker')
    .option('--redis-url <url>', 'Redis of its event bus')
    .option('--traffic-host <host>', 'where it takes traffic, when that is not the host name it registers')
    .option('--traffic-port <port>', 'likewise for the port', wholeNumber(1, 65_535))
    .option('--wait <seconds>', 'time for it to register', wholeNumber(1, 3_600), 120)
    .option('--departure', 'also wait until it is stopped, and check that it says so');
  withReportOptions(worker).action(async (flags: WorkerFlags) => {
    if (flags.list) return listChecks(workerCheckList(flags.only));
    await reportOn(flags, (deviations, onResult) =>
      runWorkerSuite({
        listen: flags.listen,
        apiSecret: required('--secret', flags.secret),
        jwtSecret: required('--jwt-secret', flags.jwtSecret),
        redisUrl: required('--redis-url', flags.redisUrl),
        trafficHost: flags.trafficHost,
        trafficPort: flags.trafficPort,
        waitMs: flags.wait * 1_000,
        onListening: (url) => tell(`Start the worker now, with the coordinator URL ${url}`),
        stopWorker: flags.departure ? askToStop : undefined,
        only: flags.only,
        deviations,
        onResult,
      }),
    );
  });
}

function askToStop(): Promise<void> {
  tell('Stop the worker now.');
  return Promise.resolve();
}
