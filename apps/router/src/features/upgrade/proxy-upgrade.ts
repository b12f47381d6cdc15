import { AppError } from '@penstock/protocol';
import { outgoingRequest } from '../passthrough/index.js';
import { checkHandshake } from './domain/check-handshake.js';
import { draining, Upgrade } from './upgrade.js';
import type { UpgradeDeps, UpgradeJob } from './upgrade.port.js';

/** Joins one client with a replica of its circuit. Returns at once; the job hears of the end. */
export function proxyUpgrade(deps: UpgradeDeps, job: UpgradeJob): void {
  job.record.route = 'upgrade';
  let upgrade: Upgrade;
  try {
    upgrade = prepare(deps, job);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return job.refuse(error);
  }
  upgrade.start();
}

function prepare(deps: UpgradeDeps, job: UpgradeJob): Upgrade {
  const { client, record } = job;
  // It would only be cut at the deadline of the drain.
  if (client.draining) throw draining();
  const protocol = checkHandshake(client);
  const outgoing = outgoingRequest(client, { trusted: deps.trustsPeer(client.peer), requestId: record.id });
  return new Upgrade(deps, job, outgoing, protocol);
}
