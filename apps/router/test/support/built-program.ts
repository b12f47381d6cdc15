import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const APPS = fileURLToPath(new URL('../../../', import.meta.url));

/** A port that was free a moment ago, with `following` more behind it. */
export async function freePorts(following = 0): Promise<number> {
  for (;;) {
    const first = await listenOnce(0);
    const rest = Array.from({ length: following }, (_, offset) => listenOnce(first + offset + 1));
    const results = await Promise.allSettled(rest);
    if (results.every(({ status }) => status === 'fulfilled')) return first;
  }
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const { port: bound } = server.address() as AddressInfo;
      server.close(() => resolve(bound));
    });
  });
}

/** Read from /proc because small images have no `ps`; null when the process has just ended. */
function parentOf(pid: number): number | null {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1);
    return Number(afterName?.split(' ')[1]);
  } catch {
    return null;
  }
}

/** A service of ours as the operating system sees it. Its configuration file can be rewritten while it runs. */
export class BuiltProgram {
  readonly directory = mkdtempSync(join(tmpdir(), 'penstock-program-'));
  output = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<number | null>;

  constructor(
    app: 'router' | 'coordinator',
    private config: object,
  ) {
    const main = join(APPS, app, 'dist/main.js');
    if (!existsSync(main)) throw new Error(`${app} is not built: run \`turbo run build\` first`);
    this.writeConfig(config);
    const args = ['--enable-source-maps', main, '--config', join(this.directory, 'config.json')];
    this.child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.exited = new Promise((resolve) => this.child.once('exit', (code) => resolve(code)));
  }

  writeConfig(config: object): void {
    this.config = { ...this.config, ...config };
    writeFileSync(join(this.directory, 'config.json'), JSON.stringify(this.config));
  }

  /** Process ids of those it started. */
  children(): readonly number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === this.child.pid);
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** @returns the exit code; null when a signal ended it */
  exit(): Promise<number | null> {
    return this.exited;
  }

  async dispose(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
    rmSync(this.directory, { recursive: true, force: true });
  }
}
