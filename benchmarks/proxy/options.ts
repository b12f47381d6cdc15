import { parseArgs } from 'node:util';

/** What the command line chose. */
export interface BenchOptions {
  /** Where the JSON report goes; null prints only. */
  readonly jsonFile: string | null;
  /** Length of one measurement. */
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: readonly number[];
  readonly bodyBytes: readonly number[];
  /** Exit with 1 when a target of the report is missed. */
  readonly check: boolean;
}

export const USAGE =
  'usage: node benchmarks/proxy/run.ts [--json FILE] [--quick] [--seconds N] [--rounds N] ' +
  '[--connections 1,16,64] [--bodies 1024,32768] [--check]';

/** A command line that makes no sense; the message says which flag. */
export class UsageError extends Error {}

export function readOptions(argv: readonly string[]): BenchOptions {
  const flags = parseFlags(argv);
  const quick = flags.quick === true;
  return {
    jsonFile: flags.json ?? null,
    seconds: positive('--seconds', flags.seconds ?? (quick ? '1' : '2')),
    rounds: positive('--rounds', flags.rounds ?? (quick ? '2' : '5')),
    connections: list('--connections', flags.connections ?? '1,16,64'),
    bodyBytes: list('--bodies', flags.bodies ?? '1024'),
    check: flags.check === true,
  };
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        json: { type: 'string' },
        quick: { type: 'boolean' },
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        connections: { type: 'string' },
        bodies: { type: 'string' },
        check: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new UsageError(`${flag} must be a whole number above 0, not "${text}".`);
}

function list(flag: string, text: string): number[] {
  return text.split(',').map((item) => positive(flag, item.trim()));
}
