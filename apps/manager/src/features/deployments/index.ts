/** Deployments with their replica groups and listed replicas: what a publication sends requests to. */
export { DnsHostResolver } from './adapters/dns-host.resolver.js';
export { DeploymentsModule } from './deployments.module.js';
export type { HostResolver } from './host-resolver.port.js';
