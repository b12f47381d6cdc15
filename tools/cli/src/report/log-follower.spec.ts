import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rotateLogs } from '../supervisor/log-keeper.js';
import { LogFollower } from './log-follower.js';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'logs-'));
  file = join(dir, 'router-1.log');
  writeFileSync(file, 'before\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('LogFollower', () => {
  it('passes on whole new lines only, with characters cut between two writes intact', () => {
    const seen: string[] = [];
    const follower = new LogFollower(file, (text) => seen.push(text));
    const bytes = Buffer.from('één\nzwei\nhal');
    appendFileSync(file, bytes.subarray(0, 1));
    follower.poll();
    appendFileSync(file, bytes.subarray(1));
    follower.poll();
    appendFileSync(file, 'f\n');
    follower.poll();
    expect(seen).toEqual(['één\nzwei', 'half']);
  });

  it('starts over when the file was emptied', () => {
    const seen: string[] = [];
    const follower = new LogFollower(file, (text) => seen.push(text));
    truncateSync(file);
    appendFileSync(file, 'new\n');
    follower.poll();
    expect(seen).toEqual(['new']);
  });
});

describe('rotateLogs', () => {
  it('empties a large file and keeps its content beside it', () => {
    rotateLogs(dir, 3);
    expect(statSync(file).size).toBe(0);
    expect(statSync(`${file}.1`).size).toBe(7);
  });

  it('leaves small files alone', () => {
    rotateLogs(dir, 7);
    expect(statSync(file).size).toBe(7);
  });
});
