import { ReplicaHealth } from '@penstock/routing';

/** What this process knows about one replica of one group. Outlives snapshots; reset when the address changes. */
export class ReplicaState {
  readonly key: string;
  readonly health = new ReplicaHealth();
  /** Requests under way there from this process. */
  inFlight = 0;
  /** First id of the replica's own model list, once asked for. */
  discoveredModel: string | null = null;

  constructor(
    readonly routeId: string,
    readonly host: string,
    readonly port: number,
  ) {
    this.key = `${host}:${port}`;
  }
}
