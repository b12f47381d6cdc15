import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { isPortFree } from '@penstock/backing-services';

/** Below the ports that systems give to outgoing connections: a Python process takes seconds until it binds its own. */
const FIRST = 20_000;
const LAST = 31_999;

const given = new Set<number>();

/** A port that is free, and likely still is in a few seconds. */
export function choosePort(): Promise<number> {
  return choosePorts(1);
}

/** The first of several neighbours. */
export async function choosePorts(count: number): Promise<number> {
  for (;;) {
    const first = randomInt(FIRST, LAST - count);
    const block = Array.from({ length: count }, (_, index) => first + index);
    const lingering = portsOfConnections();
    if (block.some((port) => given.has(port) || lingering.has(port))) continue;
    const free = await Promise.all(block.map((port) => isPortFree(port)));
    if (!free.every(Boolean)) continue;
    for (const port of block) given.add(port);
    return first;
  }
}

/** The real TCP worker cannot listen on a port of which a closed connection still lingers. Linux tells of those. */
function portsOfConnections(): Set<number> {
  const [, ...lines] = connectionTable().split('\n');
  const ports = lines.flatMap((line) => /^\s*\d+: [0-9A-F]+:([0-9A-F]+) /.exec(line)?.[1] ?? []);
  return new Set(ports.map((hex) => Number.parseInt(hex, 16)));
}

function connectionTable(): string {
  try {
    return readFileSync('/proc/net/tcp', 'utf8');
  } catch {
    return '';
  }
}
