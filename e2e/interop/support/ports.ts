import { randomInt } from 'node:crypto';

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
    if (block.some((port) => given.has(port))) continue;
    const free = await Promise.all(block.map((port) => isPortFree(port)));
    if (!free.every(Boolean)) continue;
    for (const port of block) given.add(port);
    return first;
  }
}
