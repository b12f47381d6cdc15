import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse } from 'yaml';

import { FRONT_DOOR, penstock } from './penstock.ts';
import type { StackInfo } from './stack-info.ts';

/** Services as the front door names them. */
export type ServiceName =
  'postgres' | 'redis' | 'coordinator' | 'coordinator-2' | 'manager' | 'replicas' | 'router-1' | 'router-2';

/**
 * Settings every test stack runs with: short intervals, so that a test that waits for one ends soon, the most talkative
 * log, so that the search for leaked keys means something, and no reconciler of the manager in the way of tests that
 * write to the coordinator themselves.
 */
const TEST_SETTINGS = [
  ['router.reconcile_interval_ms', '2000'],
  ['router.heartbeat_period_ms', '1000'],
  ['router.timeouts.headers_ms', '3000'],
  ['router.timeouts.stream_headers_ms', '3000'],
  ['coordinator.worker_heartbeat_timeout_ms', '8000'],
  ['coordinator.ack_timeout_ms', '5000'],
  ['manager.reconcile_interval_ms', '3600000'],
].flatMap(([path, value]) => ['--set', `${path}=${value}`]);

/** A stack started through the front door, with a data directory of its own. */
export class Stack {
  readonly dataDir: string;
  readonly info: StackInfo;
  /** From the command to its end, in milliseconds. */
  readonly startedInMs: number;
  readonly #frontDoor: string;

  constructor(dataDir: string, info: StackInfo, startedInMs = 0, frontDoor = FRONT_DOOR) {
    this.dataDir = dataDir;
    this.info = info;
    this.startedInMs = startedInMs;
    this.#frontDoor = frontDoor;
  }

  /**
   * `up --detach --json` in a new data directory, or again in the one given.
   * @param frontDoor that of another release, for tests of upgrades
   */
  static async start(
    extraArgs: readonly string[] = [],
    dataDir = newDataDir(),
    frontDoor = FRONT_DOOR,
  ): Promise<Stack> {
    const startedAt = Date.now();
    const args = ['--detach', '--json', '--ports', 'auto', '--log-level', 'debug', '--data-dir', dataDir];
    const result = await penstock(['up', ...args, ...TEST_SETTINGS, ...extraArgs], 300_000, frontDoor);
    if (result.code !== 0) throw new Error(`up ended with ${result.code}:\n${result.stderr.slice(-8_000)}`);
    return new Stack(dataDir, JSON.parse(result.stdout) as StackInfo, Date.now() - startedAt, frontDoor);
  }

  async down(): Promise<void> {
    await this.#command(['down']);
  }

  async remove(): Promise<void> {
    await this.down();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async stopService(name: ServiceName): Promise<void> {
    await this.#command(['service', 'stop', name]);
  }

  async startService(name: ServiceName): Promise<void> {
    await this.#command(['service', 'start', name]);
  }

  /** A value of a service's configuration file, by its path. */
  configOf(service: string): Record<string, unknown> {
    return parse(readFileSync(this.configFile(service), 'utf8')) as Record<string, unknown>;
  }

  configFile(service: string): string {
    return join(this.dataDir, 'config', `${service}.yaml`);
  }

  async #command(args: readonly string[]): Promise<void> {
    const result = await penstock([...args, '--data-dir', this.dataDir], undefined, this.#frontDoor);
    if (result.code !== 0) throw new Error(`${args.join(' ')} ended with ${result.code}: ${result.stderr}`);
  }
}

/** Others may pass through: PostgreSQL runs under another account when this runs as root. */
function newDataDir(): string {
  const directory = mkdtempSync(join(tmpdir(), 'penstock-e2e-'));
  chmodSync(directory, 0o755);
  return directory;
}
