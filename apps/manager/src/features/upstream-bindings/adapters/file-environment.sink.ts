import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { DeliveredSecrets, ServiceEnvironmentSink } from '../service-environment-sink.port.js';

const TOKEN_FILE = 'BACKENDAI_UPSTREAM_TOKEN';
/** A token that is being written, or was when a process ended. */
const UNFINISHED = `.${TOKEN_FILE}.`;
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
    // A link would take the token to wherever somebody else wants it.
    if (!(await lstat(folder)).isDirectory()) throw new Error('the folder of a deployment is a link');
    // In the same folder, because only there a rename is atomic.
    const unfinished = join(folder, `${UNFINISHED}${randomUUID()}`);
    try {
      await writeDurably(unfinished, secrets.BACKENDAI_UPSTREAM_TOKEN);
      await rename(unfinished, this.tokenFile(deploymentId));
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  async withdraw(deploymentId: string): Promise<void> {
    const folder = this.#folder(deploymentId);
    for (const name of await this.#written(deploymentId)) await rm(join(folder, name), { force: true });
    // Whatever else lies there is not ours; then the folder stays.
    await rmdir(folder).catch(() => undefined);
  }

  async delivered(): Promise<string[]> {
    const names = await readdir(this.#directory).catch(emptyWhenMissing);
    const ids = names.filter((name) => ID.test(name));
    const written = await Promise.all(ids.map((id) => this.#written(id)));
    return ids.filter((_, index) => written[index]?.length);
  }

  async #written(deploymentId: string): Promise<string[]> {
    const names = await readdir(this.#folder(deploymentId)).catch(emptyWhenMissing);
    return names.filter((name) => name === TOKEN_FILE || name.startsWith(UNFINISHED));
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
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}
