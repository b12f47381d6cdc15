import type { AppMode, FrontendMode, InternalFrontend, ProxyProtocol } from '@penstock/protocol';

import type { Worker as WorkerRow } from '../../../generated/prisma/client.js';
import type { Worker } from '../domain/worker.js';

/** The columns hold what was validated when they were written. */
export function toWorker(row: WorkerRow): Worker {
  const [first, last] = row.portRange;
  return {
    ...row,
    frontendMode: row.frontendMode as FrontendMode,
    protocol: row.protocol as ProxyProtocol,
    acceptedTraffics: row.acceptedTraffics as AppMode[],
    portRange: first !== undefined && last !== undefined ? [first, last] : null,
    internalFrontend: row.internalFrontend as InternalFrontend | null,
  };
}
