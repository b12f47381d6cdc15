import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in ticks of 10 ms everywhere it matters (USER_HZ). */
const TICK_US = 10_000;

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  readonly cpuUs: number;
}

/**
 * User and system time of a process and all its descendants, in microseconds since they started. Null where there is
 * no /proc. Descendants that ended are not counted, so measure only processes that stay.
 */
export function cpuTimeUs(pid: number): number | null {
  const all = allProcesses();
  if (all.length === 0) return null;
  const family = new Set([pid]);
  for (let grew = true; grew;) {
    const children = all.filter(({ pid: child, parent }) => family.has(parent) && !family.has(child));
    for (const child of children) family.add(child.pid);
    grew = children.length > 0;
  }
  return all.filter((one) => family.has(one.pid)).reduce((sum, one) => sum + one.cpuUs, 0);
}

function allProcesses(): ProcessTimes[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readTimes(Number(name)));
  } catch {
    return [];
  }
}

function readTimes(pid: number): ProcessTimes[] {
  try {
    return [parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'utf8'))];
  } catch {
    return [];
  }
}

/** The name in the second field may contain spaces and brackets, so fields are counted from its end. */
export function parseStat(pid: number, stat: string): ProcessTimes {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { pid, parent: Number(fields[1]), cpuUs: ticks * TICK_US };
}
