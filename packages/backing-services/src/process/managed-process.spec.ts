import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManagedProcess } from './managed-process.js';
import { isAlive, processStartMark } from './process-identity.js';
import { waitUntil } from './wait-until.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'managed-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('ManagedProcess', () => {
  it('says that a program cannot be started', async () => {
    await expect(start(join(dir, 'missing'), [])).rejects.toThrow(/ENOENT/);
  });

  it('keeps output and exit code', async () => {
    const child = await start('/bin/sh', ['-c', 'echo out; echo err >&2; exit 3']);
    expect(await child.exited).toEqual({ code: 3, signal: null });
    expect(readFileSync(join(dir, 'log'), 'utf8')).toBe('out\nerr\n');
  });

  it('shows the end of what this process wrote, not what an earlier one did', async () => {
    await (
      await start('/bin/sh', ['-c', 'echo earlier'])
    ).exited;
    const child = await start('/bin/sh', ['-c', 'echo now']);
    await child.exited;
    expect(child.logTail()).toBe('now');
  });

  it('ends a process that ignores the polite signal', async () => {
    const child = await start('/bin/sh', ['-c', 'trap "" TERM; echo armed; while :; do sleep 0.05; done']);
    await waitUntil(() => Promise.resolve(readFileSync(join(dir, 'log'), 'utf8').includes('armed')), 5_000);
    const exit = await child.stop([{ signal: 'SIGTERM', waitMs: 100 }]);
    expect(exit.signal).toBe('SIGKILL');
    expect(isAlive(child.pid)).toBe(false);
  });

  it('can be told apart from a later process with the same id', async () => {
    const child = await start('/bin/sleep', ['30']);
    expect(processStartMark(child.pid)).toMatch(/\d/);
    await child.stop([{ signal: 'SIGTERM', waitMs: 1_000 }]);
    expect(processStartMark(child.pid)).toBeNull();
  });
});

function start(command: string, args: string[]): Promise<ManagedProcess> {
  return ManagedProcess.start({ command, args, logFile: join(dir, 'log') });
}
