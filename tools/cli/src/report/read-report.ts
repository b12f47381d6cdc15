import { readCredentials } from '../state/credentials.js';
import type { DataDir } from '../state/data-dir.js';
import { readState } from '../state/stack-state.js';
import { UserError } from '../user-error.js';
import { routerStatus } from './router-status.js';
import { routerAddresses, stackReport, type StackReport } from './stack-report.js';

/** The report of a stack that is up, with what its routers say right now. */
export async function readReport(dir: DataDir): Promise<StackReport> {
  const state = readState(dir.stateFile);
  if (!state)
    throw new UserError(`${dir.stateFile} is missing or damaged: stop the stack with ./penstock down.`);
  const addresses = routerAddresses(state);
  const statuses = await Promise.all(addresses.map(({ admin_url }) => routerStatus(admin_url)));
  return stackReport(dir.path, state, readCredentials(dir.credentialsFile), statuses);
}
