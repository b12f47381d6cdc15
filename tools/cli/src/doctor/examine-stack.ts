import { isPortFree } from '@penstock/backing-services';
import { fixedGroups, portNeeds, portsOf, type PortNeed } from '../plan/port-needs.js';
import type { StackOptions } from '../plan/stack-options.js';
import { stackStatus } from '../report/stack-status.js';
import { DataDir } from '../state/data-dir.js';
import { type Finding, note, ok, problem } from './finding.js';

/** The stack of the data directory: what runs, what is wrong with it, and whether its ports are free. */
export async function examineStack(options: StackOptions): Promise<Finding[]> {
  const status = await stackStatus(new DataDir(options.dataDir));
  if (status.running) {
    const failed = status.services.filter((service) => service.status === 'failed');
    return [
      ok('stack', `${status.phase ?? ''}, supervisor pid ${status.supervisor_pid ?? 0}`),
      ...failed.map(({ name, detail }) =>
        problem(
          name,
          detail ?? 'does not run',
          `See ./penstock logs ${name}; then ./penstock service start ${name}.`,
        ),
      ),
    ];
  }
  const lastError = status.last_error
    ? [note('last start', `failed: ${status.last_error}`, 'The services’ own words: ./penstock logs.')]
    : [];
  const needs = portNeeds(options).filter(({ groups }) => groups > 0);
  const ports = await Promise.all(needs.map(examinePorts));
  return [note('stack', `nothing runs in ${options.dataDir}`), ...lastError, ...ports];
}

async function examinePorts(need: PortNeed): Promise<Finding> {
  const ports = portsOf(need, fixedGroups(need));
  const free = await Promise.all(ports.map(isPortFree));
  const taken = ports.filter((_, index) => !free[index]);
  const name = `port ${need.kind}`;
  if (taken.length === 0) return ok(name, `${ports.join(', ')} free`);
  return problem(
    name,
    `${taken.join(', ')} taken`,
    `Stop what listens there, choose another with ${need.flag}, or use --ports auto.`,
  );
}
