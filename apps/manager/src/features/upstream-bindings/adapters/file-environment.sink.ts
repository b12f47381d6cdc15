import { randomUUID } from 'node:crypto';
import { access, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { DeliveredSecrets, ServiceEnvironmentSink } from '../service-environment-sink.port.js';

const TOKEN_FILE = 'BACKENDAI_UPSTREAM_TOKEN';
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;

/** `<directory>/<deployment id>/BACKENDAI_UPSTREAM_TOKEN`, readable by this process's user only. No line end. */
export class FileEnvironmentSink implements ServiceEnvironmentSink {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = resolve(directory);
  }

  tokenFile(deploymentId: string): string {
    return join(this.#folder(deploymentId), TOKEN_FILE);
  }

  async deliver(deploymentId: string, secrets: DeliveredSecrets): Promise<void> {
    const folder = this.#folder(deploymentId);
    await mkdir(folder, { recursive: true, mode: OWNER_FOLDER });
    // In the same folder, because only there a rename is atomic.
    const unfinished = join(folder, `.${TOKEN_FILE}.${randomUUID()}`);
    try {
      await writeDurably(unfinished, secrets.BACKENDAI_UPSTREAM_TOKEN);
      await rename(unfinished, this.tokenFile(deploymentId));
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  async withdraw(deploymentId: string): Promise<void> {
    await rm(this.tokenFile(deploymentId), { force: true });
    // Whatever else lies there is not ours; then the folder stays.
    await rmdir(this.#folder(deploymentId)).catch(() => undefined);
  }

  async delivered(): Promise<string[]> {
    const names = await readdir(this.#directory).catch(emptyWhenMissing);
    const ids = names.filter((name) => ID.test(name));
    const held = await Promise.all(ids.map((id) => exists(this.tokenFile(id))));
    return ids.filter((_, index) => held[index]);
  }

  /** Ids come from the database; anything else would be a way out of the directory. */
  #folder(deploymentId: string): string {
    if (!ID.test(deploymentId)) throw new Error('not the id of a deployment');
    return join(this.#directory, deploymentId);
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', OWNER_FILE);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function emptyWhenMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
