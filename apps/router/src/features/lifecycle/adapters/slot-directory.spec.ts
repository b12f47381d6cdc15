import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { StartupError } from '../startup-error.js';
import { markOf } from './process-mark.js';
import { claimSlot } from './slot-directory.js';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'penstock-slots-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const claim = () => claimSlot(dataDir, 'authority', 'host');

it('gives each taker the lowest free slot, and a released one again', () => {
  const first = claim();
  const second = claim();
  expect([first.name, second.name]).toEqual(['authority/host/0', 'authority/host/1']);
  first.release();
  expect(claim().name).toBe('authority/host/0');
  expect(claim().name).toBe('authority/host/2');
});

it('takes over the slot of a process that no longer runs, its files included', () => {
  const directory = join(dataDir, 'slots/authority/host/0');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'spool'), 'left behind');
  writeFileSync(join(directory, 'lock'), JSON.stringify({ pid: 4_194_304, startedAt: 'long ago' }));
  const slot = claim();
  expect(slot.name).toBe('authority/host/0');
  expect(readFileSync(join(slot.directory, 'spool'), 'utf8')).toBe('left behind');
});

it('does not mistake another process under a used process id for the owner', () => {
  const directory = join(dataDir, 'slots/authority/host/0');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'lock'), JSON.stringify({ pid: process.pid, startedAt: 'another start' }));
  expect(claim().name).toBe('authority/host/0');
});

it('leaves a slot to an owner that runs', () => {
  const parent = markOf(process.ppid);
  const directory = join(dataDir, 'slots/authority/host/0');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'lock'), JSON.stringify(parent));
  expect(claim().name).toBe('authority/host/1');
});

it('treats an unreadable lock as left behind', () => {
  const directory = join(dataDir, 'slots/authority/host/0');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'lock'), '{"pid":');
  expect(claim().name).toBe('authority/host/0');
});

it('keeps names that are no path segments inside the slots directory', () => {
  const slot = claimSlot(dataDir, '../../etc', '..');
  expect(slot.name).toBe('../../etc/../0');
  expect(slot.directory).toBe(join(dataDir, 'slots/%2E%2E%2F%2E%2E%2Fetc/%2E%2E/0'));
});

it('says what to change when the directory cannot be used', () => {
  writeFileSync(join(dataDir, 'file'), '');
  expect(() => claimSlot(join(dataDir, 'file'), 'a', 'h')).toThrow(StartupError);
  expect(() => claimSlot(join(dataDir, 'file'), 'a', 'h')).toThrow(/set data_dir to a directory/);
});
