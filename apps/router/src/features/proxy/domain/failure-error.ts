import { AppError } from '@penstock/protocol';
import type { AttemptFailure } from '@penstock/routing';

/** What the caller is told when the last attempt failed. The replica's address and the cause go to the log only. */
export function failureError(failure: AttemptFailure, cause: Error, attempts: number): AppError {
  const details = { failure };
  const tried = attempts > 1 ? ` (${attempts} attempts)` : '';
  switch (failure) {
    case 'headers_timeout':
      return new AppError('upstream_timeout', `The model did not start to answer in time${tried}.`, {
        cause,
        details,
      });
    case 'idle_timeout':
      return new AppError('upstream_timeout', `The model stopped in the middle of its answer.`, {
        cause,
        details,
      });
    case 'connect':
    case 'forbidden_address':
      return new AppError('upstream_error', `No replica of the model can be reached${tried}.`, {
        cause,
        details,
      });
    case 'reset':
    case 'malformed':
      return new AppError('upstream_error', `The model broke off before it answered${tried}.`, {
        cause,
        details,
      });
  }
}

/** The same when part of an answer is already with the client. */
export function cutError(failure: AttemptFailure, cause: Error): AppError {
  if (failure === 'idle_timeout') return failureError(failure, cause, 1);
  return new AppError('upstream_error', 'The model broke off in the middle of its answer.', {
    cause,
    details: { failure },
  });
}
