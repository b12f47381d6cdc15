import { readFileSync } from 'node:fs';

/** Version of this software, as its package states it. */
export function softwareVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
