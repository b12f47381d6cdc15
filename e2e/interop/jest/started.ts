import type { Closing } from '../support/closing.ts';

/** Set-up and tear-down are modules of their own that share only the global object. */
const holder = globalThis as { penstockInterop?: Closing };

export function rememberClosing(closing: Closing): void {
  holder.penstockInterop = closing;
}

export function startedClosing(): Closing | undefined {
  return holder.penstockInterop;
}
