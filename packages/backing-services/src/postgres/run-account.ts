import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Account {
  uid: number;
  gid: number;
}

const CANDIDATES = ['postgres', 'nobody'];

/**
 * PostgreSQL refuses to run as root. Started by root it runs as the owner of existing data, else as an account
 * that every Linux has; started by anyone else it runs as that user (null).
 */
export function runAccount(dataDir: string): Account | null {
  if (process.getuid?.() !== 0) return null;
  return ownerOf(dataDir) ?? firstOf(CANDIDATES, readFileSync('/etc/passwd', 'utf8'));
}

function ownerOf(dataDir: string): Account | null {
  const stat = statSync(dataDir, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : null;
}

function firstOf(names: string[], passwd: string): Account | null {
  const rows = passwd.split('\n').map((line) => line.split(':'));
  const row = names.map((name) => rows.find((fields) => fields[0] === name)).find(Boolean);
  return row ? { uid: Number(row[2]), gid: Number(row[3]) } : null;
}

/** True when the account can pass through every directory above the path. */
export function isReachable(path: string, account: Account): boolean {
  for (let dir = path; ; dir = dirname(dir)) {
    const stat = statSync(dir, { throwIfNoEntry: false });
    if (stat && !mayPass(stat, account)) return false;
    if (dirname(dir) === dir) return true;
  }
}

function mayPass(stat: { uid: number; gid: number; mode: number }, account: Account): boolean {
  if (stat.uid === account.uid) return (stat.mode & 0o100) !== 0;
  if (stat.gid === account.gid) return (stat.mode & 0o010) !== 0;
  return (stat.mode & 0o001) !== 0;
}
