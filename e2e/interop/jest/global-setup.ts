import { shareSite } from '../support/site.ts';
import { Closing } from '../support/closing.ts';
import { startSite } from '../support/start-site.ts';
import { endOnInterrupt } from './on-interrupt.ts';
import { rememberClosing } from './started.ts';

/** Starts what all spec files share. */
export default async function globalSetup(): Promise<void> {
  const closing = new Closing();
  rememberClosing(closing);
  const starting = startSite(closing);
  endOnInterrupt(closing, starting);
  try {
    shareSite(await starting);
  } catch (error) {
    // Jest runs no tear-down after a set-up that failed.
    await closing.run();
    throw error;
  }
}
