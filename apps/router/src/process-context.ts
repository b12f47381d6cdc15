import type { Logger, Metrics } from '@penstock/observability';
import type { LiveSettings } from './config/live-settings.js';
import type { Slot } from './features/lifecycle/index.js';

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
