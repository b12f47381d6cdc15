import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first of the named programs that lies in a directory of the search path. */
export function findProgram(names: string[], searchPath: string): string | null {
  const directories = searchPath.split(delimiter).filter(Boolean);
  const candidates = names.flatMap((name) => directories.map((directory) => join(directory, name)));
  return candidates.find(isExecutable) ?? null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
