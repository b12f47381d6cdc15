import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../../system-error.js';
import { isRunning, type ProcessMark } from './process-mark.js';

const LOCK = 'lock';
const TAKEOVER = 'takeover';

/** A takeover takes a millisecond; a guard this old was left by a process that died inside one. */
const TAKEOVER_AGE_MAX_MS = 10_000;

const markSchema = z.object({ pid: z.int().positive(), startedAt: z.string().min(1) });

/**
 * Locks a directory for one process. The lock appears complete or not at all, because it is written aside and linked
 * into place; a lock whose owner no longer runs is replaced, one taker at a time.
 * @returns false when a running process holds it
 */
export function lockDirectory(directory: string, owner: ProcessMark): boolean {
  const candidate = join(directory, `${LOCK}.${owner.pid}.${randomUUID()}`);
  writeFileSync(candidate, JSON.stringify(owner));
  try {
    return linkIfAbsent(candidate, join(directory, LOCK)) || takeOver(directory, candidate);
  } finally {
    rmSync(candidate, { force: true });
  }
}

/** Gives the directory up. A lock that belongs to somebody else stays. */
export function unlockDirectory(directory: string, owner: ProcessMark): void {
  const holder = readMark(join(directory, LOCK));
  if (holder?.pid === owner.pid && holder.startedAt === owner.startedAt) {
    rmSync(join(directory, LOCK), { force: true });
  }
}

function takeOver(directory: string, candidate: string): boolean {
  if (isHeld(directory) || !guard(directory)) return false;
  try {
    if (isHeld(directory)) return false; // Somebody was quicker, before the guard.
    renameSync(candidate, join(directory, LOCK));
    return true;
  } finally {
    rmSync(join(directory, TAKEOVER), { force: true });
  }
}

function isHeld(directory: string): boolean {
  const holder = readMark(join(directory, LOCK));
  return holder !== null && isRunning(holder);
}

function guard(directory: string): boolean {
  const path = join(directory, TAKEOVER);
  const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (ageMs > TAKEOVER_AGE_MAX_MS) rmSync(path, { force: true });
  return ignoringExisting(() => writeFileSync(path, '', { flag: 'wx' }));
}

function linkIfAbsent(existing: string, path: string): boolean {
  return ignoringExisting(() => linkSync(existing, path));
}

function ignoringExisting(create: () => void): boolean {
  try {
    create();
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function readMark(path: string): ProcessMark | null {
  try {
    return markSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}
