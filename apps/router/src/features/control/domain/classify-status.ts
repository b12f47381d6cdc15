/**
 * `unreachable`: no answer in time. `failed`: an answer that may be better next time.
 * `refused`: repeating will not help until somebody changes something. `gone`: the worker row does not exist.
 * `unreadable`: an answer that does not validate.
 */
export type CoordinatorFailure = 'unreachable' | 'failed' | 'refused' | 'gone' | 'unreadable';

/** What an HTTP status of the coordinator means for the next attempt. 408 and 429 ask for patience, not for a change. */
export function classifyStatus(status: number): CoordinatorFailure {
  if (status === 404) return 'gone';
  if (status === 408 || status === 429) return 'failed';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
}
