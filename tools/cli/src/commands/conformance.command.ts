import { writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import {
  type CheckResult,
  conforms,
  type ConformanceReport,
  coordinatorCheckList,
  type Deviations,
  readDeviations,
  resultLine,
  runCoordinatorSuite,
  summaryLine,
} from '@penstock/conformance';
import { print, tell } from '../terminal.js';
import { UserError } from '../user-error.js';

interface ReportFlags {
  readonly json?: boolean;
  readonly report?: string;
  readonly only?: string;
  readonly list?: boolean;
  readonly deviations?: string;
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
    if (flags.list) return list(coordinatorCheckList(flags.only));
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

function withReportOptions(command: Command): Command {
  return command
    .option('--json', 'the report as one JSON object on standard output')
    .option('--report <file>', 'write the report to a file')
    .option('--only <pattern>', 'only checks whose id or section matches, e.g. "registration.*,5.1"')
    .option('--list', 'list the checks and run none')
    .option('--deviations <file>', 'checks that this target is known to fail');
}

function list(checks: readonly Pick<CheckResult, 'id' | 'section' | 'title'>[]): void {
  for (const { id, section, title } of checks) print(`${section.padEnd(4)} ${id}: ${title}`);
}

type Suite = (
  deviations: Deviations | undefined,
  onResult: (result: CheckResult) => void,
) => Promise<ConformanceReport>;

/** Runs a suite and tells what came of it. Failing to run at all is exit code 2, like wrong options. */
async function reportOn(flags: ReportFlags, suite: Suite): Promise<void> {
  try {
    const deviations = flags.deviations === undefined ? undefined : readDeviations(flags.deviations);
    const report = await suite(deviations, (result) => tell(resultLine(result)));
    if (report.checks.length === 0) throw new UserError(`No check matches ${flags.only ?? 'this'}.`);
    publish(report, flags);
    process.exitCode = conforms(report) ? 0 : 1;
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}

function publish(report: ConformanceReport, { json, report: file }: ReportFlags): void {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  print(json ? JSON.stringify(report) : summaryLine(report));
}

function required(option: string, value: string | undefined): string {
  if (value === undefined) throw new UserError(`${option} is needed.`);
  return value;
}
