import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isHeld, releaseLock, takeLock } from '../supervisor/supervisor-lock.js';
import { type DemoCredentials, loadOrCreateCredentials } from './credentials.js';
import { DataDir } from './data-dir.js';
import { readState, recordProcess, stillRuns } from './stack-state.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'state-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function demoOf(api_key: string): DemoCredentials {
  return { project_id: 'p', deployment_ids: {}, publication_id: 'u', api_key_id: 'k', api_key, tokens: {} };
}

describe('credentials', () => {
  it('are made once, readable by their owner only', () => {
    const file = join(dir, 'credentials.json');
    const made = loadOrCreateCredentials(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(loadOrCreateCredentials(file)).toEqual(made);
  });

  it('of version 0.1 get the later secrets and keep their own', () => {
    const file = join(dir, 'credentials.json');
    const { jwt_secret: _jwt, encryption_key: _key, ...old } = loadOrCreateCredentials(file);
    const { tokens: _tokens, ...demo } = demoOf('sk-old');
    writeFileSync(file, JSON.stringify({ ...old, demo }));
    const upgraded = loadOrCreateCredentials(file);
    expect(upgraded).toMatchObject({ ...old, demo: { api_key: 'sk-old', tokens: {} } });
    expect(upgraded.jwt_secret.length).toBeGreaterThanOrEqual(43);
    expect(loadOrCreateCredentials(file)).toEqual(upgraded);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('get the same later secrets again after version 0.1 has dropped them', () => {
    const file = join(dir, 'credentials.json');
    const { jwt_secret: _jwt, encryption_key: _key, ...old } = loadOrCreateCredentials(file);
    const upgrade = () => {
      writeFileSync(file, JSON.stringify(old));
      return loadOrCreateCredentials(file);
    };
    const first = upgrade();
    expect(upgrade()).toEqual(first);
    expect(first.jwt_secret).not.toBe(first.encryption_key);
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

describe('a state file of version 0.1', () => {
  it('is understood: a router stack without internal listeners', () => {
    const file = join(dir, 'state.json');
    const options = { demo: true, mode: 'router', workers: 1, routers: 2, coordinators: 1 };
    const old = {
      supervisor: { pid: 100, mark: '1' },
      phase: 'ready',
      started_at: '2026-01-01T00:00:00.000Z',
      last_error: null,
      options: { ...options, authority: 'penstock', log_level: 'info' },
      ports: { postgres: [1], redis: [2], coordinator: [3], manager: [4], router: [5], replica: [] },
      services: [],
    };
    writeFileSync(file, JSON.stringify(old));
    expect(readState(file)).toMatchObject({
      options: { mode: 'router', wildcard_domain: null, internal: false },
      ports: { router: [5], 'router-internal': [] },
    });
  });
});

describe('DataDir', () => {
  it('moves the control socket out of directories too deep for one', () => {
    const deep = new DataDir(`/data/${'x'.repeat(200)}`);
    expect(Buffer.byteLength(deep.controlSocket)).toBeLessThan(104);
    expect(new DataDir('/data').controlSocket).toBe('/data/control.sock');
  });
});
