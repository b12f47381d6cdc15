import { readFileSync } from 'node:fs';

import { z } from 'zod';

const manifest = z.object({ version: z.string() });

/** Version of this build. */
export function serviceVersion(): string {
  const path = new URL('../../package.json', import.meta.url);
  return manifest.parse(JSON.parse(readFileSync(path, 'utf8'))).version;
}
