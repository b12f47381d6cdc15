import { BackingServiceError } from '../backing-service.error.js';
import type { ManagedProcess, StopStep } from './managed-process.js';
import { waitUntil } from './wait-until.js';

interface Readiness {
  title: string;
  server: ManagedProcess;
  timeoutMs: number;
  logFile: string;
  stopSteps: StopStep[];
}

/** Waits for the first answer. A server that gives none is stopped, and the error shows the end of its log. */
export async function assertReady(readiness: Readiness, probe: () => Promise<boolean>): Promise<void> {
  const { server, title, timeoutMs, logFile } = readiness;
  if (await waitUntil(probe, timeoutMs, () => server.exit !== null)) return;
  const reason = server.exit
    ? `ended at once (${server.exit.signal ?? `exit code ${server.exit.code}`})`
    : `did not answer within ${Math.round(timeoutMs / 1000)} s`;
  await server.stop(readiness.stopSteps);
  throw new BackingServiceError(`${title} ${reason}. The end of ${logFile}:\n${server.logTail()}`);
}
