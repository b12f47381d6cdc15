import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { FileEnvironmentSink } from './file-environment.sink.js';

const ID = '0198c0de-0000-7000-8000-000000000001';

describe('FileEnvironmentSink', () => {
  let root: string;
  let sink: FileEnvironmentSink;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'penstock-sink-'));
    sink = new FileEnvironmentSink(join(root, 'made', 'when-needed'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('keeps exactly the token in a file of its owner only, and nothing beside it', async () => {
    await sink.deliver(ID, { BACKENDAI_UPSTREAM_TOKEN: 'first' });
    await sink.deliver(ID, { BACKENDAI_UPSTREAM_TOKEN: 'second' });
    const file = sink.tokenFile(ID);
    expect(await readFile(file, 'utf8')).toBe('second');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(file, '..'))).toEqual(['BACKENDAI_UPSTREAM_TOKEN']);
  });

  it('never shows a reader a missing or a partial token', async () => {
    const tokens = ['a'.repeat(4_000), 'b'.repeat(4_000)];
    await sink.deliver(ID, { BACKENDAI_UPSTREAM_TOKEN: tokens[0] ?? '' });
    let writing = true;
    const read = async () => {
      while (writing) expect(tokens).toContain(await readFile(sink.tokenFile(ID), 'utf8'));
    };
    const reader = read();
    for (let round = 0; round < 50; round += 1) {
      await sink.deliver(ID, { BACKENDAI_UPSTREAM_TOKEN: tokens[round % 2] ?? '' });
    }
    writing = false;
    await reader;
  });

  it('lists and withdraws what was delivered, and leaves the files of others alone', async () => {
    expect(await sink.delivered()).toEqual([]);
    await sink.deliver(ID, { BACKENDAI_UPSTREAM_TOKEN: 'token' });
    const folder = join(sink.tokenFile(ID), '..');
    await mkdir(join(folder, '..', 'lost+found'));
    await writeFile(join(folder, 'note'), 'mine');
    expect(await sink.delivered()).toEqual([ID]);
    await sink.withdraw(ID);
    await sink.withdraw(ID);
    expect(await sink.delivered()).toEqual([]);
    expect(await readdir(folder)).toEqual(['note']);
  });

  it('finds and withdraws the token of a delivery that a crash cut short', async () => {
    const folder = join(sink.tokenFile(ID), '..');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '.BACKENDAI_UPSTREAM_TOKEN.0198c0de'), 'half a token');
    expect(await sink.delivered()).toEqual([ID]);
    await sink.withdraw(ID);
    expect(await readdir(join(folder, '..'))).toEqual([]);
  });

  it('writes no token through a link', async () => {
    const [folder, elsewhere] = [join(sink.tokenFile(ID), '..'), join(root, 'elsewhere')];
    await mkdir(join(folder, '..'), { recursive: true });
    await mkdir(elsewhere);
    await symlink(elsewhere, folder);
    await expect(sink.deliver(ID, { BACKENDAI_UPSTREAM_TOKEN: 'token' })).rejects.toThrow('link');
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('takes nothing for an id that could lead elsewhere', () => {
    expect(() => sink.tokenFile('../elsewhere')).toThrow('not the id');
  });
});
