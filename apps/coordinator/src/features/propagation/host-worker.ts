import type { Circuit } from '@penstock/protocol';

import type { LivenessSubject } from '../liveness/index.js';

/** The worker of a circuit, as far as announcing to it goes. */
export interface HostWorker extends LivenessSubject {
  readonly frontendMode: string;
}

/** A circuit and whose it is. */
export interface HostedCircuit {
  readonly worker: HostWorker;
  readonly circuit: Circuit;
  /** It was there before this call: a worker that is away now got it, or gets it, with the pull of its start. */
  readonly known?: boolean;
}

/** A router pulls its circuits again and again; any other worker pulls once, when it starts. */
export function pullsForEver({ frontendMode }: HostWorker): boolean {
  return frontendMode === 'router';
}
