import type { StackOptions } from '../plan/stack-options.js';
import { UserError } from '../user-error.js';
import type { StackState } from './stack-state.js';

/**
 * A data directory stays with the mode it was made with: what a coordinator holds for routers of one mode would go
 * on asking for such routers.
 * @throws UserError when its stack ran in the other mode
 */
export function refuseOtherMode(
  { mode, dataDir }: Pick<StackOptions, 'mode' | 'dataDir'>,
  previous: Pick<StackState, 'options'> | null,
): void {
  const before = previous?.options.mode ?? mode;
  if (before === mode) return;
  throw new UserError(
    `The stack in ${dataDir} was made with --mode ${before}: start it so, or choose another --data-dir.`,
  );
}
