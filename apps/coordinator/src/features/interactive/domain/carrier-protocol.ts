import type { ProxyProtocol } from '@penstock/protocol';

const CARRIERS: Partial<Record<ProxyProtocol, ProxyProtocol>> = { preopen: 'http', vnc: 'tcp', rdp: 'tcp' };

/** What a worker has to speak to carry an app of this protocol. The app's route keeps its own. */
export function carrierOf(protocol: ProxyProtocol): ProxyProtocol {
  return CARRIERS[protocol] ?? protocol;
}
