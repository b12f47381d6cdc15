import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually, type TestDatabase } from '@penstock/testkit';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The built program: what an operator starts. */
class Program {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;
  output = '';

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const collect = (chunk: Buffer) => (this.output += chunk.toString('utf8'));
    this.#child.stdout?.on('data', collect);
    this.#child.stderr?.on('data', collect);
    this.#exit = once(this.#child, 'close');
  }

  async exitCode(): Promise<unknown> {
    return (await this.#exit)[0];
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }
}

describe('the manager as a process', () => {
  let database: TestDatabase;
  let directory: string;

  beforeAll(async () => {
    database = await createTestDatabase('manager');
    directory = await mkdtemp(join(tmpdir(), 'penstock-manager-'));
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
    await database.drop();
  });

  async function configFile(name: string, config: object): Promise<string> {
    const path = join(directory, name);
    await writeFile(path, JSON.stringify(config));
    return path;
  }

  it('reports every problem of its configuration at once and exits with a code of its own', async () => {
    const file = await configFile('wrong.yaml', { port: 99_999, databse_url: 'x' });
    const program = new Program(['--config', file]);
    expect(await program.exitCode()).toBe(78);
    for (const word of ['port', 'databse_url', 'database_url', 'coordinator']) {
      expect(program.output).toContain(word);
    }
  });

  it('migrates and exits, or serves until it is told to stop, and hands its first token over', async () => {
    const token = join(directory, 'admin-token');
    const file = await configFile('right.yaml', {
      port: 0,
      database_url: database.url,
      coordinator: { url: 'http://127.0.0.1:9', api_secret: 'secret', authority: 'test' },
      admin_token_output_file: token,
    });
    const migration = new Program(['--config', file, '--migrate-only']);
    expect(await migration.exitCode()).toBe(0);
    const program = new Program(['--config', file]);
    const url = await eventually(() => {
      const [, found] = /"url":"([^"]+)"/.exec(program.output) ?? [];
      if (found === undefined) throw new Error(`not listening yet: ${program.output}`);
      return found;
    });
    const authorization = `Bearer ${(await readFile(token, 'utf8')).trim()}`;
    const answer = await fetch(`${url}/api/v1/users`, { headers: { authorization } });
    expect(answer.status).toBe(200);
    program.signal('SIGHUP');
    await eventually(() => expect(program.output).toContain('configuration reloaded'));
    program.signal('SIGTERM');
    expect(await program.exitCode()).toBe(0);
  });
});
