import type { StackOptions } from '../plan/stack-options.js';
import { runStack } from '../supervisor/run-stack.js';
import { tell } from '../terminal.js';

const FORCED_EXIT_CODE = 130;

/** Runs the stack in this process until Ctrl-C, SIGTERM or `down`; then everything it started is stopped. */
export async function runInForeground(options: StackOptions, onReady: () => Promise<void>): Promise<void> {
  const stack = await runStack(options, tell);
  stopOnSignals(stack.stop);
  try {
    await stack.ready;
    await onReady();
  } finally {
    // Also after a failure: the services are stopped by then, the lock is not yet released.
    await stack.ended;
  }
}

/** The first signal stops in good order. A second one leaves at once; the next `up` or `down` cleans up. */
function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(FORCED_EXIT_CODE);
    stopping = true;
    tell('Stopping (once more to leave at once) ...');
    void stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}
