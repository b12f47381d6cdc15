import { hostname } from 'node:os';
import type { AddressInfo } from 'node:net';
import type { WorkerRequest } from '@penstock/protocol';
import type { ProcessContext } from '../../process-context.js';
import { workerRequest } from '../control/index.js';
import type { BoundAddresses } from './router-lifecycle.service.js';

/** What this process registers as, once it knows which ports it got. */
export function registrationOf(context: ProcessContext, bound: BoundAddresses): WorkerRequest {
  const config = context.settings.current;
  return workerRequest({
    authority: config.authority,
    nodeId: context.nodeId,
    version: context.version,
    hostname: config.hostname,
    tlsAdvertised: config.tls_advertised,
    publicPort: bound.public.port,
    trafficPort: config.traffic_port,
    adminAddress: reachable(bound.admin),
    wildcard: config.wildcard && {
      domain: config.wildcard.domain,
      trafficPort: config.wildcard.traffic_port,
    },
    internalFrontend:
      config.internal && bound.internal
        ? { host: config.internal.host, port: bound.internal.port, domain: config.internal.domain }
        : null,
  });
}

/** A wildcard address says where to listen, not where to call: the machine's own name does. */
function reachable({ address, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `${hostname()}:${port}`;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
