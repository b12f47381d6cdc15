import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isHeld, releaseLock, takeLock } from '../supervisor/supervisor-lock.js';
import { loadOrCreateCredentials } from './credentials.js';
import { DataDir } from './data-dir.js';
import { recordProcess, stillRuns } from './stack-state.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'state-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('credentials', () => {
  it('are made once, readable by their owner only', () => {
    const file = join(dir, 'credentials.json');
    const made = loadOrCreateCredentials(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(loadOrCreateCredentials(file)).toEqual(made);
  });

  it('are never replaced silently when damaged', () => {
    const file = join(dir, 'credentials.json');
    writeFileSync(file, '{');
    expect(() => loadOrCreateCredentials(file)).toThrow(/cannot be read: restore it/);
  });
});

describe('the lock of a data directory', () => {
  it('is held by one living process', () => {
    const file = join(dir, 'lock');
    expect(takeLock(file)).toBe(true);
    expect(isHeld(file)).toBe(true);
    expect(takeLock(file)).toBe(false);
    releaseLock(file);
    expect(isHeld(file)).toBe(false);
  });

  it('is taken over from a process that is gone, even if its id lives on', () => {
    const file = join(dir, 'lock');
    writeFileSync(file, JSON.stringify({ pid: process.pid, mark: 'another start' }));
    expect(takeLock(file)).toBe(true);
  });
});

describe('recorded processes', () => {
  it('are told apart from later ones with the same id', () => {
    expect(stillRuns(recordProcess(process.pid))).toBe(true);
    expect(stillRuns({ pid: process.pid, mark: 'earlier' })).toBe(false);
  });
});

describe('DataDir', () => {
  it('moves the control socket out of directories too deep for one', () => {
    const deep = new DataDir(`/data/${'x'.repeat(200)}`);
    expect(Buffer.byteLength(deep.controlSocket)).toBeLessThan(104);
    expect(new DataDir('/data').controlSocket).toBe('/data/control.sock');
  });
});
