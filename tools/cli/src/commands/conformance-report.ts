import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  type CheckResult,
  conforms,
  type ConformanceReport,
  type Deviations,
  readDeviations,
  resultLine,
  summaryLine,
} from '@penstock/conformance';
import { print, tell } from '../terminal.js';
import { UserError } from '../user-error.js';

/** What both suites have in common on the command line. */
export interface ReportFlags {
  readonly json?: boolean;
  readonly report?: string;
  readonly only?: string;
  readonly list?: boolean;
  readonly deviations?: string;
}

/** Adds the options of reports and selections. */
export function withReportOptions(command: Command): Command {
  return command
    .option('--json', 'the report as one JSON object on standard output')
    .option('--report <file>', 'write the report to a file')
    .option('--only <pattern>', 'only checks whose id or section matches, e.g. "registration.*,5.1"')
    .option('--list', 'list the checks and run none')
    .option('--deviations <file>', 'checks that this target is known to fail');
}

/** What would be checked, a line each, on standard output. */
export function listChecks(checks: readonly Pick<CheckResult, 'id' | 'section' | 'title'>[]): void {
  for (const { id, section, title } of checks) print(`${section.padEnd(4)} ${id}: ${title}`);
}

type Suite = (
  deviations: Deviations | undefined,
  onResult: (result: CheckResult) => void,
) => Promise<ConformanceReport>;

/** Runs a suite and tells what came of it. Failing to run at all is exit code 2, like wrong options. */
export async function reportOn(flags: ReportFlags, suite: Suite): Promise<void> {
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

/** The value of an option without a default. @throws UserError when it was not given. */
export function required(option: string, value: string | undefined): string {
  if (value === undefined) throw new UserError(`${option} is needed.`);
  return value;
}
