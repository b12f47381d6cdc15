import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { logTail } from './log-tail.js';

export interface ProcessSpec {
  command: string;
  args: string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Standard output and error are appended here. */
  logFile: string;
  uid?: number;
  gid?: number;
}

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A signal and how long the process may take to follow it. */
export interface StopStep {
  signal: NodeJS.Signals;
  waitMs: number;
}

const TAIL_LINES = 15;
const FORCED: StopStep = { signal: 'SIGKILL', waitMs: 5_000 };

/**
 * A child process in a session of its own, so that a Ctrl-C in the terminal reaches only the process that manages it.
 * It writes to its log file by itself: logging goes on, and costs nothing here, even when the manager is gone.
 */
export class ManagedProcess {
  /** How it ended; null while it runs. */
  exit: ProcessExit | null = null;
  readonly exited: Promise<ProcessExit>;
  readonly pid: number;

  private constructor(
    private readonly child: ChildProcess,
    private readonly logFile: string,
    private readonly logStart: number,
  ) {
    this.pid = child.pid ?? -1;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.exit = { code, signal };
        resolve(this.exit);
      });
    });
  }

  /** @throws when the program cannot be started at all. */
  static async start(spec: ProcessSpec): Promise<ManagedProcess> {
    mkdirSync(dirname(spec.logFile), { recursive: true });
    const log = openSync(spec.logFile, 'a', 0o600);
    try {
      const logStart = fstatSync(log).size;
      const child = spawnDetached(spec, log);
      const managed = new ManagedProcess(child, spec.logFile, logStart);
      await once(child, 'spawn');
      return managed;
    } finally {
      closeSync(log);
    }
  }

  /** The last lines this process wrote. */
  logTail(): string {
    return logTail(this.logFile, TAIL_LINES, this.logStart);
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.exit) this.child.kill(signal);
  }

  /** Sends each signal in turn until the process is gone; the last resort is SIGKILL. */
  async stop(steps: StopStep[]): Promise<ProcessExit> {
    for (const step of [...steps, FORCED]) {
      this.signal(step.signal);
      if (await this.exitsWithin(step.waitMs)) break;
    }
    return this.exited;
  }

  private async exitsWithin(waitMs: number): Promise<boolean> {
    const timer = new AbortController();
    const late = delay(waitMs, false, { signal: timer.signal }).catch(() => false);
    const gone = await Promise.race([this.exited.then(() => true), late]);
    timer.abort();
    return gone;
  }
}

function spawnDetached(spec: ProcessSpec, log: number): ChildProcess {
  return spawn(spec.command, spec.args, {
    cwd: spec.cwd,
    env: spec.env ?? process.env,
    detached: true,
    stdio: ['ignore', log, log],
    ...(spec.uid === undefined ? {} : { uid: spec.uid, gid: spec.gid }),
  });
}
