import type { Logger, Metrics } from '@penstock/observability';
import type { LiveSettings } from './config/live-settings.js';

/** The place a process has in its fleet: stable over restarts, unlike its node id. */
export interface Slot {
  /** `<authority>/<host>/<n>`. */
  readonly name: string;
  /** A directory no other running process uses. */
  readonly directory: string;
  release(): void;
}

/** Injection token of {@link ProcessContext}. */
export const PROCESS_CONTEXT = Symbol('ProcessContext');

/** What a process knows of itself before anything is built. */
export interface ProcessContext {
  readonly settings: LiveSettings;
  /** Which process of its instance this is, from 0. */
  readonly workerIndex: number;
  /** New with every start. */
  readonly nodeId: string;
  /** Software version. */
  readonly version: string;
  readonly slot: Slot;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
