import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { freePort, waitUntil } from '@penstock/backing-services';
import type { PortMap } from '../plan/port-needs.js';
import type { StackOptions } from '../plan/stack-options.js';
import type { PlannedNodeService } from '../plan/stack-plan.js';
import { REPOSITORY_ROOT } from '../repository.js';
import { DataDir } from '../state/data-dir.js';
import { readState, type ServiceState, type StackState, stillRuns } from '../state/stack-state.js';
import type { LaunchContext } from './launch-service.js';
import { StackSupervisor } from './stack-supervisor.js';
import { stopLeftovers } from './stop-leftovers.js';

/** Answers on the port of its configuration file until SIGTERM. */
const SERVER = `
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
const { port } = JSON.parse(readFileSync(process.argv[3], 'utf8'));
const server = createServer((_, response) => response.end('ok')).listen(port, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
`;
const BROKEN = `console.error('the reason why'); process.exit(7);`;

let root: string;
let dir: DataDir;
let progress: string[];
let supervisors: StackSupervisor[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'supervisor-'));
  dir = new DataDir(join(root, 'data'));
  dir.create();
  progress = [];
  supervisors = [];
  writeFileSync(join(root, 'server.mjs'), SERVER);
  writeFileSync(join(root, 'broken.mjs'), BROKEN);
});
afterEach(async () => {
  await stopLeftovers(readState(dir.stateFile), () => undefined);
  // A supervisor that is not told to stop notes the end of its services after the folder is gone.
  for (const supervisor of supervisors) await supervisor.stopAll();
  rmSync(root, { recursive: true, force: true });
});

async function service(name: string, phase: number, program = 'server.mjs'): Promise<PlannedNodeService> {
  const port = await freePort();
  return {
    kind: 'node',
    name,
    phase,
    ports: [port],
    entry: relative(REPOSITORY_ROOT, join(root, program)),
    configFile: join(dir.configDir, `${name}.json`),
    config: { port },
    readyUrls: [`http://127.0.0.1:${port}/`],
    readyTimeoutMs: 15_000,
    stopTimeoutMs: 5_000,
  };
}

function supervise(services: PlannedNodeService[]): StackSupervisor {
  const options = { demo: false, mode: 'router', workers: 1, routers: 1, coordinators: 1 };
  const plan = {
    options: { ...options, authority: 'a', logLevel: 'info' } as StackOptions,
    ports: Object.fromEntries(
      [
        'postgres',
        'redis',
        'coordinator',
        'manager',
        'router',
        'router-admin',
        'replica',
        'replica-admin',
      ].map((kind) => [kind, []]),
    ) as unknown as PortMap,
    services,
  };
  const supervisor = new StackSupervisor(plan, { dir } as LaunchContext, (line) => progress.push(line));
  supervisors.push(supervisor);
  return supervisor;
}

function state(): StackState {
  const found = readState(dir.stateFile);
  if (!found) throw new Error('No state was written.');
  return found;
}

function stateOf(name: string): ServiceState | undefined {
  return state().services.find((candidate) => candidate.name === name);
}

describe('StackSupervisor', () => {
  it('starts phase by phase and stops the other way round', async () => {
    const supervisor = supervise([await service('late', 1), await service('early', 0)]);
    await supervisor.startAll();
    supervisor.markReady();
    expect(state()).toMatchObject({ phase: 'ready' });
    await supervisor.stopAll();
    expect(progress.map((line) => line.split(' (')[0])).toEqual([
      'early is ready',
      'late is ready',
      'late stopped.',
      'early stopped.',
    ]);
    expect(state().services.map(({ process }) => process)).toEqual([null, null]);
  });

  it('stops everything when one service fails, and keeps its words', async () => {
    const supervisor = supervise([await service('good', 0), await service('bad', 1, 'broken.mjs')]);
    await expect(supervisor.startAll()).rejects.toThrow(
      /bad ended while starting \(exit code 7\)[^]*the reason why/,
    );
    expect(state()).toMatchObject({ phase: 'failed', last_error: expect.stringContaining('the reason why') });
    expect(stateOf('good')).toMatchObject({ status: 'stopped', process: null });
    expect(stateOf('bad')).toMatchObject({ status: 'failed' });
  });

  it('notices a service that was killed, leaves it so, and starts it again when told', async () => {
    const supervisor = supervise([await service('one', 0)]);
    await supervisor.startAll();
    supervisor.markReady();
    process.kill(stateOf('one')?.process?.pid ?? 0, 'SIGKILL');
    await waitUntil(() => Promise.resolve(stateOf('one')?.status === 'failed'), 5_000);
    expect(progress.at(-1)).toContain('one ended unexpectedly');
    await supervisor.service('one').start();
    expect(stateOf('one')).toMatchObject({ status: 'running' });
    await supervisor.stopAll();
  });

  it('names the services it has when asked for another', async () => {
    const supervisor = supervise([await service('one', 0)]);
    expect(() => supervisor.service('two')).toThrow('There is no service "two" in this stack. It has: one.');
  });

  it('says that a start was cut short by a stop', async () => {
    const supervisor = supervise([await service('one', 0)]);
    const starting = supervisor.startAll();
    await supervisor.stopAll();
    await expect(starting).rejects.toThrow('stopped while it was starting');
    expect(stateOf('one')?.process).toBeNull();
  });
});

describe('stopLeftovers', () => {
  it('stops what a killed supervisor left, and only that', async () => {
    const supervisor = supervise([await service('orphan', 0)]);
    await supervisor.startAll();
    const left = state();
    const orphan = stateOf('orphan')?.process ?? { pid: 0, mark: null };
    const stranger = { name: 'x', status: 'running' as const, detail: null, ports: [] };
    const services = [...left.services, { ...stranger, process: { pid: process.pid, mark: 'reused' } }];
    expect(await stopLeftovers({ ...left, services }, () => undefined)).toBe(1);
    expect(stillRuns(orphan)).toBe(false);
  });
});
