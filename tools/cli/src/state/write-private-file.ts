import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a file in one step, readable by its owner only. A reader sees the old content or the new one. */
export function writePrivateFile(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, path);
}
