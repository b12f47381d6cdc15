import type { BackingServiceName } from '@penstock/backing-services';
import type { PortMap } from './port-needs.js';
import type { StackOptions } from './stack-options.js';

interface PlannedService {
  /** Unique in the stack: `postgres`, `coordinator`, `router-2`. */
  name: string;
  /** Services of a phase start side by side, after those of all earlier phases answer. Stopping goes backwards. */
  phase: number;
  ports: number[];
}

export interface PlannedBackingService extends PlannedService {
  kind: 'backing';
  backing: BackingServiceName;
  dir: string;
  port: number;
  portFlag: string;
}

export interface PlannedNodeService extends PlannedService {
  kind: 'node';
  /** The program, relative to the repository. */
  entry: string;
  configFile: string;
  config: object;
  /** All of these must answer 2xx. */
  readyUrls: string[];
  readyTimeoutMs: number;
  /** How long it may take to end its work after SIGTERM. */
  stopTimeoutMs: number;
}

export type ServicePlan = PlannedBackingService | PlannedNodeService;

/** Everything `up` will do, decided before anything is done. Contains secrets: never log it. */
export interface StackPlan {
  options: StackOptions;
  ports: PortMap;
  services: ServicePlan[];
}
