import { type ReplicaOptions, type RunningReplica, startReplica } from '@penstock/replica-simulator';

import { ReplicaAdmin } from '../../support/replica-admin.ts';
import type { Target } from './coordinator-client.ts';

export const MODEL = 'interop-model';

/** A simulated replica that a test may stop and start again at the same place. */
export class Replica {
  readonly target: Target;
  #running: RunningReplica;

  private constructor(running: RunningReplica) {
    this.#running = running;
    const { hostname, port } = new URL(running.url);
    this.target = { host: hostname, port: Number(port) };
  }

  static async start(options: Partial<ReplicaOptions> = {}): Promise<Replica> {
    return new Replica(await startReplica({ model: MODEL, ...options }));
  }

  async stop(): Promise<void> {
    await this.#running.stop();
  }

  async startAgain(): Promise<void> {
    this.#running = await startReplica({ model: MODEL, port: this.target.port });
  }

  /** Inference calls it saw since it was started. */
  async calls(): Promise<number> {
    return (await new ReplicaAdmin(this.#running).inferenceCalls()).length;
  }
}
