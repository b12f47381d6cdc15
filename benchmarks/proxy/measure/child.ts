import { spawn, type ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';

export interface Child {
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ChildOptions {
  readonly command: readonly string[];
  /** Both outputs go here, as a service manager would keep them. */
  readonly logFile: string;
  /** Polled until it is true; the child dying or 30 s passing are errors. */
  readonly ready: () => Promise<boolean>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a process, waits until it serves, and stops it by its pid. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const [program, ...args] = options.command;
  const log = openSync(options.logFile, 'a');
  const env = { ...process.env, ...options.env };
  const child = spawn(program ?? '', args, { stdio: ['ignore', log, log], env });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('error', () => undefined);
  try {
    await untilReady(child, options);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { pid: child.pid ?? 0, stop: () => stopChild(child, exited) };
}

/** A port nobody listens on right now. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** True when an HTTP GET answers 200. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function untilReady(child: ChildProcess, { ready, command, logFile }: ChildOptions): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await ready())) {
    const gone = child.exitCode !== null || child.pid === undefined;
    if (gone || Date.now() > deadline)
      throw new Error(`${command.join(' ')} ${gone ? 'ended' : 'was not ready in 30 s'}; see ${logFile}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(timer);
}
