import { AppError } from '@penstock/protocol';

/**
 * Refuses a body in a coding of its own for the transfer: framing is made anew towards the replica, which would take the
 * coded bytes for the body.
 * @param rawHeaders - flat
 * @throws AppError `invalid_request`
 */
export function checkFraming(rawHeaders: readonly string[]): void {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if ((rawHeaders[index] as string).toLowerCase() !== 'transfer-encoding') continue;
    if ((rawHeaders[index + 1] as string).trim().toLowerCase() === 'chunked') continue;
    throw new AppError('invalid_request', 'The only `Transfer-Encoding` taken here is `chunked`.');
  }
}
