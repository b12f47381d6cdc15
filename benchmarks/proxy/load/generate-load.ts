import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findOnPath, pinned } from '../measure/machine.ts';
import { LOAD_CORE } from '../measure/cores.ts';
import type { BenchRequest } from '../scenario.ts';
import { parseLoadResult, type LoadResult } from './load-result.ts';
import { wrkScript } from './wrk-script.ts';

const run = promisify(execFile);

export interface LoadRequest {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly requests: readonly BenchRequest[];
  /** Directory for the files the generators read. */
  readonly workDir: string;
}

export const LOAD_GENERATOR = findOnPath('wrk') === null ? 'node' : 'wrk';

/** One measurement: as many requests as the target answers on so many connections. */
export async function generateLoad(request: LoadRequest): Promise<LoadResult> {
  const [command, ...args] = pinned(
    LOAD_CORE,
    LOAD_GENERATOR === 'wrk' ? wrkCommand(request) : nodeCommand(request),
  );
  const deadlineMs = (request.seconds + 30) * 1_000;
  const { stdout } = await run(command ?? '', args, { timeout: deadlineMs, maxBuffer: 16 * 1024 * 1024 });
  return parseLoadResult(stdout);
}

function wrkCommand({ port, connections, seconds, requests, workDir }: LoadRequest): string[] {
  const script = join(workDir, `load-${requests[0]?.body.length ?? 0}.lua`);
  writeFileSync(script, wrkScript(requests));
  const url = `http://127.0.0.1:${port}`;
  return ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url];
}

function nodeCommand({ workDir, ...plan }: LoadRequest): string[] {
  const file = join(workDir, 'load.json');
  writeFileSync(file, JSON.stringify(plan));
  return [process.execPath, join(import.meta.dirname, 'node-load.ts'), file];
}
