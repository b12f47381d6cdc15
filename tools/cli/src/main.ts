import { BackingServiceError } from '@penstock/backing-services';
import { createProgram } from './program.js';
import { tell } from './terminal.js';
import { UserError } from './user-error.js';

try {
  await createProgram().parseAsync();
} catch (error) {
  tell(describe(error));
  process.exitCode = 1;
}

/** Expected failures are shown as they are; anything else is a bug and shows where it comes from. */
function describe(error: unknown): string {
  if (error instanceof UserError || error instanceof BackingServiceError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
