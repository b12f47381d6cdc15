import { join } from 'node:path';

import { answers, freePort, startChild } from '../measure/child.ts';
import { LOAD_CORE } from '../measure/cores.ts';
import { pinned } from '../measure/machine.ts';
import type { Target } from './target.ts';

/** The mock itself: what every proxy adds to. */
export async function startDirect(workDir: string): Promise<Target> {
  const port = await freePort();
  const script = join(import.meta.dirname, '../load/fast-mock.ts');
  const child = await startChild({
    command: pinned(LOAD_CORE, [process.execPath, script, String(port)]),
    logFile: join(workDir, 'mock.log'),
    ready: () => answers(`http://127.0.0.1:${port}/v1/models`),
  });
  return { name: 'direct', port, pid: null, stop: () => child.stop() };
}
