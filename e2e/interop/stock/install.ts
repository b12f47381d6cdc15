import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { findPython, type Python } from './find-python.ts';
import { withLock } from './install-lock.ts';
import { CONSTRAINTS, STOCK_PACKAGES, STOCK_VERSION, stockProgram, VENV } from './release.ts';
import { runProgram } from './run-program.ts';

/** Told what is going on, one line at a time. */
export type Tell = (line: string) => void;

/** The patch release that the packages ask for; they are tested to work on earlier ones of 3.13 as well. */
const WANTED_PATCH = 7;
const VENV_TIMEOUT_MS = 120_000;
const PIP_TIMEOUT_MS = 1_200_000;

/**
 * Installs the pinned packages into an environment of their own, once.
 * @returns null when they are there, else in one sentence why they cannot be had.
 */
export async function installStock(tell: Tell): Promise<string | null> {
  if (existsSync(stampFile())) return null;
  mkdirSync(dirname(VENV), { recursive: true });
  const onWait = (): void => tell('Another run installs the packages; waiting for it ...');
  return withLock(`${VENV}.lock`, () => installAlone(tell), onWait);
}

async function installAlone(tell: Tell): Promise<string | null> {
  if (existsSync(stampFile())) return null;
  const python = await findPython();
  if (python === null) {
    return 'no Python 3.13 found: put python3.13 on PATH or install one with pyenv.';
  }
  rmSync(VENV, { recursive: true, force: true });
  tell(`Creating an environment with ${python.executable} (3.13.${python.patch}) ...`);
  const problem = (await makeEnvironment(python)) ?? (await installPackages(python, tell));
  if (problem === null) writeFileSync(stampFile(), `${new Date().toISOString()}\n`);
  return problem;
}

/** Written last, so that an interrupted install starts over; names what was installed, so that a new pin does too. */
function stampFile(): string {
  const digest = createHash('sha256').update(readFileSync(CONSTRAINTS)).digest('hex').slice(0, 12);
  return join(VENV, `.complete-${STOCK_VERSION}-${digest}`);
}

async function makeEnvironment({ executable }: Python): Promise<string | null> {
  const made = await runProgram(executable, ['-m', 'venv', VENV], { timeoutMs: VENV_TIMEOUT_MS });
  return made.ok ? null : `Python cannot make a virtual environment: ${lastLine(made.stderr)}`;
}

async function installPackages({ patch }: Python, tell: Tell): Promise<string | null> {
  tell(`Installing ${STOCK_PACKAGES.join(' and ')} ${STOCK_VERSION} (about 350 MB, two minutes) ...`);
  const installed = await runProgram(stockProgram('python'), pipArguments(patch), {
    timeoutMs: PIP_TIMEOUT_MS,
  });
  return installed.ok ? null : whyNot(installed.stderr);
}

/** Pip tells of an index it cannot reach in warnings, and then of conflicts that there are none. */
function whyNot(stderr: string): string {
  if (stderr.includes('connection broken')) return 'the package index cannot be reached.';
  const complaint = stderr.split('\n').find((line) => line.startsWith('ERROR:'));
  return `pip cannot install the packages: ${complaint ?? lastLine(stderr)}`;
}

function pipArguments(patch: number): string[] {
  return [
    '-m',
    'pip',
    'install',
    '--disable-pip-version-check',
    '--no-input',
    '--quiet',
    '--retries=2',
    '--timeout=20',
    `--constraint=${CONSTRAINTS}`,
    ...(patch < WANTED_PATCH ? ['--ignore-requires-python'] : []),
    ...STOCK_PACKAGES.map((name) => `${name}==${STOCK_VERSION}`),
  ];
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
