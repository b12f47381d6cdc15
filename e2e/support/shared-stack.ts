import { Stack } from './stack.ts';
import type { StackInfo } from './stack-info.ts';

const VARIABLE = 'PENSTOCK_E2E_STACK';

/** The stack that global set-up started for all spec files of this run. They run one after the other. */
export function sharedStack(): Stack {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error(`${VARIABLE} is not set: run the e2e project through Jest.`);
  const { dataDir, info } = JSON.parse(text) as { dataDir: string; info: StackInfo };
  return new Stack(dataDir, info);
}

/** Hands a stack to the spec files, which are processes or contexts of their own. */
export function shareStack(stack: Stack): void {
  process.env[VARIABLE] = JSON.stringify({ dataDir: stack.dataDir, info: stack.info });
}

/** True when somebody handed over a running stack, which is quicker while writing a test. */
export function isStackGiven(): boolean {
  return process.env[VARIABLE] !== undefined;
}
