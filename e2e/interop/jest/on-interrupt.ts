import { constants } from 'node:os';

import type { Closing } from '../support/closing.ts';
import { endStarted } from '../support/started-processes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const REPEAT_MS = 200;

/**
 * Jest runs no tear-down when it is interrupted, and what the suite starts does not hear of a Ctrl-C: without this,
 * coordinators, workers and databases would run on.
 */
export function endOnInterrupt(closing: Closing, starting: Promise<unknown>): void {
  let ending = false;
  for (const signal of SIGNALS)
    process.on(signal, () => {
      if (!ending) void endEverything(closing, starting).finally(() => exitFor(signal));
      ending = true;
    });
}

async function endEverything(closing: Closing, starting: Promise<unknown>): Promise<void> {
  process.stderr.write('Interrupted: ending what was started ...\n');
  endStarted();
  // A start that is under way fails without what was ended, but may start more until it does.
  const again = setInterval(endStarted, REPEAT_MS);
  await starting.catch(() => undefined);
  clearInterval(again);
  await closing.run();
}

function exitFor(signal: (typeof SIGNALS)[number]): void {
  process.exit(128 + constants.signals[signal]);
}
