import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A throw-away folder for configuration and secret files. */
export class ConfigFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'penstock-config-'));

  /** @returns the file's absolute path */
  write(name: string, text: string): string {
    const file = join(this.path, name);
    writeFileSync(file, text);
    return file;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
