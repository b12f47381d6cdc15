import { startedClosing } from './started.ts';

/** Stops what set-up started. */
export default async function globalTeardown(): Promise<void> {
  await startedClosing()?.run();
}
