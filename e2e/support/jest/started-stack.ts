import type { Stack } from '../stack.ts';

/** Set-up and tear-down are modules of their own that share only the global object. */
const holder = globalThis as { penstockE2eStack?: Stack };

export function rememberStack(stack: Stack): void {
  holder.penstockE2eStack = stack;
}

export function startedStack(): Stack | undefined {
  return holder.penstockE2eStack;
}
