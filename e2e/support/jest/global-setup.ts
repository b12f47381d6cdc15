import { isStackGiven, shareStack } from '../shared-stack.ts';
import { Stack } from '../stack.ts';
import { rememberStack } from './started-stack.ts';

/** Starts the one stack the spec files share. */
export default async function globalSetup(): Promise<void> {
  if (isStackGiven()) return;
  const stack = await Stack.start();
  rememberStack(stack);
  shareStack(stack);
}
