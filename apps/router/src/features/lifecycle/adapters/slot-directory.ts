import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Slot } from '../../../process-context.js';
import { describeError } from '../../../system-error.js';
import { StartupError } from '../startup-error.js';
import { lockDirectory, unlockDirectory } from './lock-file.js';
import { markOf, type ProcessMark } from './process-mark.js';

const SLOTS_MAX = 10_000;

/**
 * Takes the lowest free slot under `<dataDir>/slots/<authority>/<host>/`, one left by a crashed process included.
 * @throws StartupError when the directory cannot be used
 */
export function claimSlot(dataDir: string, authority: string, host: string): Slot {
  const owner = markOf(process.pid);
  if (owner === null)
    throw new StartupError('cannot tell when this process started, so no slot can be locked');
  const parent = join(resolve(dataDir), 'slots', pathSegment(authority), pathSegment(host));
  try {
    return lowestFree(parent, `${authority}/${host}`, owner);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `data_dir cannot be used: ${describeError(error)}; set data_dir to a directory this user may write to`,
    );
  }
}

function lowestFree(parent: string, prefix: string, owner: ProcessMark): Slot {
  for (let index = 0; index < SLOTS_MAX; index += 1) {
    const directory = join(parent, String(index));
    mkdirSync(directory, { recursive: true });
    if (lockDirectory(directory, owner)) {
      return { name: `${prefix}/${index}`, directory, release: () => unlockDirectory(directory, owner) };
    }
  }
  throw new StartupError(`all ${SLOTS_MAX} slots under ${parent} are taken`);
}

/** Names come from the configuration and may hold anything; as a path they must stay one segment. */
function pathSegment(name: string): string {
  return encodeURIComponent(name).replaceAll('.', '%2E');
}
