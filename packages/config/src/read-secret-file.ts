import { readFileSync } from 'node:fs';

const SIZE_BYTES_MAX = 64 * 1024;

export type SecretFile =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** Reads the file a `_file` key or variable names. The line end that editors add is not part of the value. */
export function readSecretFile(path: string): SecretFile {
  try {
    const text = readFileSync(path, 'utf8');
    if (text.length > SIZE_BYTES_MAX) return { ok: false, problem: `${path} is larger than 64 KiB` };
    const value = text.replace(/\r?\n$/, '');
    return value === '' ? { ok: false, problem: `${path} is empty` } : { ok: true, text: value };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    return { ok: false, problem: `${path} ${reason}` };
  }
}
