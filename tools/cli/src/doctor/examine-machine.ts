import { statfsSync } from 'node:fs';
import { availableParallelism, freemem, totalmem } from 'node:os';
import { BACKING_SERVICES, type BackingService } from '@penstock/backing-services';
import { runTool } from '../checks/run-tool.js';
import { REPOSITORY_ROOT, TOOLS_DIR } from '../repository.js';
import { type Finding, note, ok, problem } from './finding.js';

const GIB = 1024 ** 3;
const FREE_DISK_GIB_MIN = 2;

/** What is installed and what a stack would use. */
export async function examineMachine(): Promise<Finding[]> {
  return [
    ok('node', `${process.version} (${process.execPath})`),
    ...(await Promise.all([
      version('npm', ['--version'], 'only needed to set up'),
      version('git', ['--version'], 'only needed to fetch the source'),
      version(
        'python3',
        ['-m', 'pip', '--version'],
        'only needed to fetch Valkey where no Redis is installed',
      ),
      version('python3.13', ['--version'], 'only needed for test interop, which also looks for it in pyenv'),
      version(
        'docker',
        ['info', '--format', '{{.ServerVersion}}'],
        'only needed where nothing else provides Redis',
      ),
      version('nginx', ['-v'], 'only needed as a peer in the benchmark'),
    ])),
    ...(await Promise.all(Object.values(BACKING_SERVICES).map(backing))),
    ok(
      'processor',
      `${availableParallelism()} cores, ${gib(freemem())} of ${gib(totalmem())} GiB memory free`,
    ),
    disk(),
  ];
}

async function version(command: string, args: string[], use: string): Promise<Finding> {
  const run = await runTool(command, args, { live: false }).catch(() => null);
  if (run?.code === 0) return ok(command, run.output.trim().split('\n')[0] ?? '');
  return note(command, `not available; ${use}`);
}

/** Looks for a service the way `up` does, which may fetch it. */
async function backing(service: BackingService): Promise<Finding> {
  try {
    const found = await service.provision({ toolsDir: TOOLS_DIR, progress: () => undefined });
    const where = found.kind === 'container' ? found.image : Object.values(found.programs).at(-1);
    return ok(service.title, `from ${found.origin}: ${where ?? ''}`);
  } catch (error) {
    return problem(service.title, 'not available', error instanceof Error ? error.message : String(error));
  }
}

function disk(): Finding {
  const { bavail, bsize } = statfsSync(REPOSITORY_ROOT);
  const free = bavail * bsize;
  const detail = `${gib(free)} GiB free`;
  if (free >= FREE_DISK_GIB_MIN * GIB) return ok('disk', detail);
  return problem(
    'disk',
    detail,
    `Make room: dependencies, builds and databases need about ${FREE_DISK_GIB_MIN} GiB.`,
  );
}

function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}
