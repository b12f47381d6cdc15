import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { penstock, runProgram, type CommandResult } from '../support/penstock.ts';
import { sharedStack } from '../support/shared-stack.ts';

const stack = sharedStack();
let directory: string;
let occupied: Server;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'penstock-e2e-cli-'));
  occupied = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => occupied.once('listening', resolve));
});
afterAll(() => {
  occupied.close();
  rmSync(directory, { recursive: true, force: true });
});

function up(...args: string[]): Promise<CommandResult> {
  return penstock(['up', '--detach', '--json', '--data-dir', join(directory, 'data'), ...args]);
}

function runService(app: string, config: string): Promise<CommandResult> {
  const file = join(directory, `${app}.yaml`);
  writeFileSync(file, config);
  return runProgram(process.execPath, [join('apps', app, 'dist', 'main.js'), '--config', file]);
}

describe('up', () => {
  it('names every taken port with the flag that changes it, and starts nothing', async () => {
    const port = (occupied.address() as AddressInfo).port;
    const taken = ['--coordinator-port', String(port), '--manager-port', String(port)];
    const result = await up('--ports', 'auto', ...taken);
    expect(result.code).not.toBe(0);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain(String(port));
    expect(result.stderr).toContain('--coordinator-port');
    expect(result.stderr).toContain('--manager-port');
  });

  it.each([
    [['--workers', '0'], '--workers'],
    [['--workers', 'many'], '--workers'],
    [['--ports', 'random'], '--ports'],
    [['--mode', 'teleport'], '--mode'],
    [['--wokers', '2'], '--wokers'],
    [['--set', 'nonsense'], '--set'],
  ])('%j is refused with words that name it', async (args, word) => {
    const result = await up(...args);
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain(word);
    expect(result.stderr).not.toMatch(/\n\s+at .*\(/);
  });

  it('names the unknown keys and bad values of every service at once, beside taken ports', async () => {
    const port = String((occupied.address() as AddressInfo).port);
    const wrong = ['coordinator.surprise=1', 'manager.log_levle=info', 'router.workers=many'];
    const settings = wrong.flatMap((text) => ['--set', text]);
    const result = await up('--ports', 'auto', '--manager-port', port, ...settings);
    expect(result.code).not.toBe(0);
    expect(result.stdout).toBe('');
    for (const word of ['surprise', 'log_levle', 'workers', port, '--manager-port'])
      expect(result.stderr).toContain(word);
    expect(result.stderr).not.toMatch(/\n\s+at .*\(/);
  });

  it('without Node.js or npm says which is missing and what to install', async () => {
    const tools = mkdtempSync(join(directory, 'path-'));
    for (const tool of ['sh', 'dirname']) symlinkSync(`/bin/${tool}`, join(tools, tool));
    const bare = (): Promise<CommandResult> =>
      runProgram('/usr/bin/env', [`PATH=${tools}`, '/bin/sh', './penstock', 'up']);
    expect(await bare()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Node\.js is missing: install/),
    });
    symlinkSync(process.execPath, join(tools, 'node'));
    expect(await bare()).toMatchObject({ code: 1, stderr: expect.stringMatching(/npm is missing: install/) });
  });

  it('prints one JSON object with everything a program needs to use the stack', () => {
    const text = expect.stringMatching(/./);
    const address = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
    const publicAddress = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(stack.info).toMatchObject({
      base_url: publicAddress,
      api_key: expect.stringMatching(/^sk-/),
      model: text,
      manager_url: address,
      admin_token: text,
      coordinator_url: address,
      api_secret: text,
      authority: text,
    });
    for (const router of stack.info.routers)
      expect(router).toMatchObject({
        node_id: text,
        base_url: publicAddress,
        admin_url: address,
        pid: expect.any(Number),
      });
    for (const replica of stack.info.replicas)
      expect(replica).toMatchObject({ deployment_id: text, url: address, admin_url: address });
    expect([stack.info.routers.length, stack.info.replicas.length]).toEqual([2, 4]);
    for (const pid of Object.values(stack.info.pids)) expect(pid).toBeGreaterThan(1);
  });

  it('a second time describes the stack that runs, whatever its options', async () => {
    const args = ['--detach', '--json', '--routers', '1', '--data-dir', stack.dataDir];
    const result = await penstock(['up', ...args]);
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/already runs/);
    const again = JSON.parse(result.stdout) as typeof stack.info;
    expect(again).toMatchObject({ base_url: stack.info.base_url, api_key: stack.info.api_key });
    expect(again.routers).toHaveLength(stack.info.routers.length);
  });
});

describe('down, status and logs without a stack', () => {
  it.each(['down', 'status', 'logs'])('%s says so in one sentence', async (command) => {
    const result = await penstock([command, '--data-dir', join(directory, 'nothing')]);
    expect(result.stdout + result.stderr).toMatch(/no .*(stack|runs|running|started)|not running|nothing/i);
    expect(result.stderr).not.toMatch(/\n\s+at .*\(/);
  });
});

describe('a service', () => {
  it.each(['router', 'coordinator', 'manager'])(
    '%s reports all configuration problems together and listens nowhere',
    async (app) => {
      const result = await runService(app, 'port: lots\nlog_levle: info\nlog_level: loud\nsurprise: 1\n');
      expect(result.code).toBe(78);
      for (const word of ['log_levle', 'surprise', 'log_level']) expect(result.stderr).toContain(word);
      expect(result.stderr).not.toMatch(/\n\s+at .*\(/);
    },
  );

  it('that finds its port taken says which, and ends', async () => {
    const port = (occupied.address() as AddressInfo).port;
    const config = { ...stack.configOf('manager'), port };
    const result = await runService('manager', JSON.stringify(config));
    expect(result.code).not.toBe(0);
    expect(result.stdout + result.stderr).toContain(String(port));
  });
});
