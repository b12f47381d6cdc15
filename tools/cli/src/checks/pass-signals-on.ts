import type { ChildProcess } from 'node:child_process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The signals of one tool's run. */
export interface PassedSignals {
  /** True once one came. */
  readonly interrupted: boolean;
  /** From here on signals end this process again. */
  stop(): void;
}

/**
 * Hands signals on to a tool instead of ending before it: it may have to stop what it started. In a terminal the tool
 * gets a Ctrl-C twice.
 */
export function passSignalsOn(child: ChildProcess): PassedSignals {
  let interrupted = false;
  const pass = (signal: NodeJS.Signals): void => {
    interrupted = true;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  return {
    get interrupted() {
      return interrupted;
    },
    stop: () => {
      for (const signal of SIGNALS) process.off(signal, pass);
    },
  };
}
