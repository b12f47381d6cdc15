import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { REPOSITORY_ROOT } from './repository-root.ts';

/** Whether the history at hand reaches back to a tag; a shallow clone's does not. */
export function hasRelease(tag: string): boolean {
  try {
    git('rev-parse', '--quiet', '--verify', `${tag}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

/** The sources of an earlier release, ready to be started through their own front door. */
export class EarlierRelease {
  readonly frontDoor: string;
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.frontDoor = join(directory, 'penstock');
  }

  /** It brings the same tools as we do, so it uses ours and downloads none. */
  static unpack(tag: string): EarlierRelease {
    const directory = mkdtempSync(join(tmpdir(), `penstock-${tag}-`));
    const archive = git('archive', '--format=tar', tag);
    execFileSync('tar', ['-x', '-C', directory], { input: archive });
    mkdirSync(join(directory, '.tools'));
    symlinkSync(join(REPOSITORY_ROOT, '.tools', 'node_modules'), join(directory, '.tools', 'node_modules'));
    return new EarlierRelease(directory);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function git(...args: readonly string[]): Buffer {
  const maxBuffer = 256 * 1024 * 1024;
  return execFileSync('git', args, { cwd: REPOSITORY_ROOT, maxBuffer, stdio: ['ignore', 'pipe', 'ignore'] });
}
