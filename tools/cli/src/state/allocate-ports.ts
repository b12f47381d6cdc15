import { freePortBlock, isPortFree } from '@penstock/backing-services';
import { fixedGroups, type PortMap, type PortNeed, portsOf } from '../plan/port-needs.js';
import type { StackOptions } from '../plan/stack-options.js';

export interface PortAllocation {
  ports: PortMap;
  /** Every taken port, each a sentence that names the port and the flag. */
  problems: string[];
}

/**
 * Decides where everything listens. Fixed ports must be free; automatic ones are taken over from the last
 * start where they still are, so that addresses handed out before stay good.
 */
export async function allocatePorts(
  needs: PortNeed[],
  options: StackOptions,
  previous: Partial<PortMap> | null,
): Promise<PortAllocation> {
  const ports: Partial<PortMap> = {};
  const problems: string[] = [];
  const used = new Set<number>();
  for (const need of needs) {
    const automatic = options.ports === 'auto' && options.chosenPorts[need.kind] === undefined;
    const groups = automatic
      ? await automaticGroups(need, previous?.[need.kind] ?? [], used)
      : fixedGroups(need);
    ports[need.kind] = groups;
    if (!automatic) problems.push(...(await problemsOf(need, groups, used)));
    for (const port of portsOf(need, groups)) used.add(port);
  }
  return { ports: ports as PortMap, problems };
}

async function automaticGroups(need: PortNeed, previous: number[], used: Set<number>): Promise<number[]> {
  const groups: number[] = [];
  for (let index = 0; index < need.groups; index += 1) {
    const known = previous[index];
    const kept = known !== undefined && (await isUsable(need, known, used)) ? known : null;
    const first = kept ?? (await freshGroup(need, used));
    groups.push(first);
    for (const port of portsOf(need, [first])) used.add(port);
  }
  return groups;
}

async function freshGroup(need: PortNeed, used: Set<number>): Promise<number> {
  for (;;) {
    const first = await freePortBlock(need.size);
    if (portsOf(need, [first]).every((port) => !used.has(port))) return first;
  }
}

async function isUsable(need: PortNeed, first: number, used: Set<number>): Promise<boolean> {
  for (const port of portsOf(need, [first])) {
    if (used.has(port) || !(await isPortFree(port))) return false;
  }
  return true;
}

async function problemsOf(need: PortNeed, groups: number[], used: Set<number>): Promise<string[]> {
  const problems: string[] = [];
  for (const port of portsOf(need, groups)) {
    const problem = await problemOf(need, port, used);
    if (problem) problems.push(problem);
  }
  return problems;
}

async function problemOf(need: PortNeed, port: number, used: Set<number>): Promise<string | null> {
  const advice = `choose another with ${need.flag}, or let me choose with --ports auto`;
  if (port > 65_535)
    return `Port ${port} for ${need.title} is out of range: choose a lower one with ${need.flag}.`;
  if (used.has(port))
    return `Port ${port} for ${need.title} is also used by another part of the stack: ${advice}.`;
  if (await isPortFree(port)) return null;
  return `Port ${port} for ${need.title} is taken: stop what listens there, ${advice}.`;
}
