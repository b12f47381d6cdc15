import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

import { freePort, startChild } from '../measure/child.ts';
import { PROXY_CORE } from '../measure/cores.ts';
import { pinned } from '../measure/machine.ts';
import { benchKeys } from '../scenario.ts';
import type { Bench, Target } from './target.ts';

/** The floor: `naive-forwarder.ts` with the same keys. */
export async function startNaive({ mockPort, workDir }: Bench): Promise<Target> {
  const port = await freePort();
  const file = join(workDir, 'naive.json');
  const keys = Object.fromEntries(benchKeys().map(({ hash, models }) => [hash, models]));
  writeFileSync(file, JSON.stringify({ port, upstream: `http://127.0.0.1:${mockPort}`, keys }));
  const script = join(import.meta.dirname, '../naive-forwarder.ts');
  const child = await startChild({
    command: pinned(PROXY_CORE, [process.execPath, script, file]),
    logFile: join(workDir, 'naive.log'),
    ready: () => listens(port),
    env: { NODE_ENV: 'production' },
  });
  return { name: 'naive', port, pid: child.pid, stop: () => child.stop() };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
