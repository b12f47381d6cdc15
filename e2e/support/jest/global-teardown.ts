import { startedStack } from './started-stack.ts';

/** Stops what set-up started. `PENSTOCK_E2E_KEEP=1` leaves its data directory with the logs. */
export default async function globalTeardown(): Promise<void> {
  const stack = startedStack();
  if (stack === undefined) return;
  if (process.env['PENSTOCK_E2E_KEEP'] === '1') await stack.down();
  else await stack.remove();
}
