import type { AppMode, FrontendMode, InternalFrontend, ProxyProtocol } from '@penstock/protocol';

/** How clients reach a worker. */
export interface WorkerAddress {
  readonly frontendMode: FrontendMode;
  readonly hostname: string;
  readonly tlsListen: boolean;
  readonly tlsAdvertised: boolean;
  readonly apiPort: number;
  readonly trafficPort: number | null;
  readonly wildcardDomain: string | null;
  readonly wildcardTrafficPort: number | null;
  readonly internalFrontend: InternalFrontend | null;
}

/** A worker as placement sees it. The counts move while a bulk call places its items. */
export interface PlacementWorker extends WorkerAddress {
  readonly id: string;
  readonly authority: string;
  readonly legacyNodes: number;
  readonly protocol: ProxyProtocol;
  readonly acceptedTraffics: readonly AppMode[];
  readonly status: string;
  readonly filteredAppsOnly: boolean;
  readonly appFilters: readonly { readonly key: string; readonly value: string }[];
  /** Both ends included; null unless the frontend mode is `port`. */
  readonly portRange: readonly [number, number] | null;
  /** All circuits, internal ones included. */
  circuits: number;
  /** Ports of the range that circuits hold. */
  takenPorts: number;
}

/** Ports left of a port worker's range. */
export function freePorts({ portRange, takenPorts }: PlacementWorker): number {
  return portRange === null ? 0 : portRange[1] - portRange[0] + 1 - takenPorts;
}
