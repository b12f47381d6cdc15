import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackingService, BackingServiceStart, RunningService } from '../backing-service.port.js';
import { assertPortFree } from '../process/assert-port-free.js';
import { assertReady } from '../process/assert-ready.js';
import { ManagedProcess, type ProcessSpec, type StopStep } from '../process/managed-process.js';
import { isAlive, processStartMark } from '../process/process-identity.js';
import { waitUntil } from '../process/wait-until.js';
import { machineSources, provisionRedis } from './provision-redis.js';
import { answersPing } from './redis-probe.js';
import { redisSettings } from './redis-settings.js';

const TITLE = 'Redis';
const READY_TIMEOUT_MS = 30_000;
const STOP_STEPS: StopStep[] = [{ signal: 'SIGTERM', waitMs: 10_000 }];
const CONTAINER_PORT = 6379;

/** Redis or Valkey, whichever the machine has or lets us fetch. */
export const redisService: BackingService = {
  name: 'redis',
  title: TITLE,
  defaultPort: 10479,
  provision: (provisioning) => provisionRedis(provisioning, machineSources()),
  start: startRedis,
};

async function startRedis(start: BackingServiceStart): Promise<RunningService> {
  mkdirSync(start.dir, { recursive: true, mode: 0o700 });
  const pidFile = join(start.dir, 'server.pid');
  await stopLeftoverServer(pidFile);
  await assertPortFree(start.port, TITLE, start.portFlag);
  const server = await ManagedProcess.start(processSpec(start));
  writeFileSync(pidFile, `${server.pid} ${processStartMark(server.pid) ?? ''}`);
  const timeoutMs = start.readyTimeoutMs ?? READY_TIMEOUT_MS;
  await assertReady({ title: TITLE, server, timeoutMs, logFile: start.logFile, stopSteps: STOP_STEPS }, () =>
    answersPing(start.port, start.password),
  );
  return {
    url: `redis://:${start.password}@127.0.0.1:${start.port}`,
    pid: server.pid,
    exited: server.exited.then(() => undefined),
    stop: async () => {
      await server.stop(STOP_STEPS);
      rmSync(pidFile, { force: true });
    },
  };
}

function processSpec(start: BackingServiceStart): ProcessSpec {
  const settingsFile = join(start.dir, 'redis.conf');
  const { installation, dir, logFile, port } = start;
  const contained = installation.kind === 'container';
  const place = contained
    ? { bind: '0.0.0.0', port: CONTAINER_PORT, dir: '/data' }
    : { bind: '127.0.0.1', port, dir };
  writeFileSync(settingsFile, redisSettings(start, place), { mode: 0o600 });
  if (!contained) {
    return { command: installation.programs.server ?? '', args: [settingsFile], cwd: dir, logFile };
  }
  const owner = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const mounts = ['--volume', `${dir}:/data`, '--publish', `127.0.0.1:${port}:${CONTAINER_PORT}`];
  const args = ['run', '--rm', '--user', owner, ...mounts, installation.image];
  return {
    command: installation.engine,
    args: [...args, 'valkey-server', '/data/redis.conf'],
    cwd: dir,
    logFile,
  };
}

/** Stops a server that still runs on this directory because whoever started it was killed. */
async function stopLeftoverServer(pidFile: string): Promise<void> {
  const [pid, mark] = readPid(pidFile);
  if (!pid || !isAlive(pid) || processStartMark(pid) !== mark) return;
  process.kill(pid, 'SIGTERM');
  await waitUntil(() => Promise.resolve(!isAlive(pid)), 10_000);
}

function readPid(pidFile: string): [number, string] {
  try {
    const [pid, ...mark] = readFileSync(pidFile, 'utf8').split(' ');
    return [Number(pid), mark.join(' ')];
  } catch {
    return [0, ''];
  }
}
