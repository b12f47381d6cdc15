import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { eventually } from '@penstock/testkit';

import { API_SECRET, CoordinatorClient } from './coordinator-client.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Three may start at once on a busy machine. */
const START_TIMEOUT_MS = 25_000;

interface CoordinatorProcessSettings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** The built program as an operator starts it, in a process of its own. */
export class CoordinatorProcess extends CoordinatorClient {
  private constructor(
    private readonly child: ChildProcess,
    private readonly ended: Promise<unknown>,
    url: string,
  ) {
    super(url);
  }

  static async start({ databaseUrl, redisUrl }: CoordinatorProcessSettings): Promise<CoordinatorProcess> {
    const directory = await mkdtemp(join(tmpdir(), 'penstock-coordinator-'));
    const file = join(directory, 'coordinator.yaml');
    const config = { port: 0, database_url: databaseUrl, redis_url: redisUrl, api_secret: API_SECRET };
    await writeFile(file, JSON.stringify(config), { mode: 0o600 });
    const child = spawn(process.execPath, [MAIN, '--config', file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close').finally(() => rm(directory, { recursive: true, force: true }));
    return new CoordinatorProcess(child, ended, await listeningUrl(child));
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}

function listeningUrl({ stdout }: ChildProcess): Promise<string> {
  let output = '';
  stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const named = () => {
    const [, url] = /"url":"([^"]+)"/.exec(output) ?? [];
    if (url === undefined) throw new Error(`not listening yet: ${output}`);
    return url;
  };
  return eventually(named, { timeoutMs: START_TIMEOUT_MS });
}
