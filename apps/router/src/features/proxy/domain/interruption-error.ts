import { AppError } from '@penstock/protocol';
import type { Interruption } from '../client-sink.port.js';

/** What a client is told whose request cannot go on. */
export function interruptionError(reason: Interruption): AppError {
  switch (reason) {
    case 'malformed':
      return new AppError('invalid_request', 'What followed the head of the request is not valid HTTP/1.1.');
    case 'timeout':
      return new AppError('request_timeout', 'The request did not arrive in time.');
    case 'shutdown':
      return new AppError('draining', 'This router had to stop before the answer was complete.', {
        retryAfterSeconds: 1,
      });
  }
}
