import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

import { processStartMark } from '@penstock/backing-services';

const VARIABLE = 'PENSTOCK_INTEROP_STARTED';

/** From here on every process that the suite starts is written down in this file, whichever test process starts it. */
export function recordStartsIn(file: string): void {
  writeFileSync(file, '');
  process.env[VARIABLE] = file;
}

/** Each is in a session of its own, which a Ctrl-C in the terminal does not reach. */
export function noteStarted(pid: number): void {
  const file = process.env[VARIABLE];
  if (file !== undefined) appendFileSync(file, `${pid} ${processStartMark(pid)}\n`);
}

/** Ends at once, with all their children, those that still run: of a run that was interrupted, or a test that failed. */
export function endStarted(): void {
  const file = process.env[VARIABLE];
  if (file === undefined || !existsSync(file)) return;
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [pid = '', mark] = line.split(' ');
    if (processStartMark(Number(pid)) === mark) endSession(Number(pid));
  }
}

function endSession(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}
