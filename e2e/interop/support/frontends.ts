import { LOOPBACK } from './secrets.ts';
import type { WorkerPlace } from './site.ts';

/** An address that makes a coordinator place an endpoint on this worker: by a label, or on a port of its range. */
export function existingUrlOf({ frontend }: Pick<WorkerPlace, 'frontend'>, label: string, slot = 0): string {
  return frontend.mode === 'port'
    ? `http://${LOOPBACK}:${frontend.firstPort + slot}`
    : `http://${label}${frontend.domain}:${frontend.port}`;
}

export interface Entrance {
  /** Where to connect. */
  readonly origin: string;
  /** The Host header to send. */
  readonly host: string;
}

/** How an address of a worker is reached without DNS; with a port, through that node of its authority. */
export function entranceOf(url: string, port = Number(new URL(url).port)): Entrance {
  return { origin: `http://${LOOPBACK}:${port}`, host: new URL(url).host };
}
