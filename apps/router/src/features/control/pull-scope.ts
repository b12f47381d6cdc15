/** What a pull asks for: a key hint needs only the config half, everything else needs both. */
export type PullScope = 'config' | 'all';

/** The smaller scope that covers both. */
export function widerScope(left: PullScope, right: PullScope): PullScope {
  return left === 'all' || right === 'all' ? 'all' : 'config';
}
