import { WireError } from '@penstock/protocol';

/** What a caller reads while the database is away. The cause stays in logs. */
export function databaseUnavailable(cause: unknown): WireError {
  return new WireError('workerNotResponding', { msg: 'Database not reachable, try again', cause });
}
