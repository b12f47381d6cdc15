import type { AppMode, FrontendMode, InternalFrontend, ProxyProtocol } from '@penstock/protocol';

/** One authority as stored: the identity its nodes share. */
export interface Worker {
  readonly id: string;
  readonly authority: string;
  readonly frontendMode: FrontendMode;
  readonly protocol: ProxyProtocol;
  readonly hostname: string;
  readonly tlsListen: boolean;
  readonly tlsAdvertised: boolean;
  readonly apiPort: number;
  readonly trafficPort: number | null;
  readonly portRange: readonly [number, number] | null;
  readonly wildcardDomain: string | null;
  readonly wildcardTrafficPort: number | null;
  readonly acceptedTraffics: readonly AppMode[];
  readonly filteredAppsOnly: boolean;
  readonly traefikLastUsedMarkerPath: string | null;
  readonly internalFrontend: InternalFrontend | null;
  readonly availableSlots: number;
  readonly legacyNodes: number;
  readonly status: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
