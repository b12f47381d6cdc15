import type { BehaviourPatch, Fault, RunningReplica, SeenRequest } from '@penstock/replica-simulator';

import { call } from './http.ts';
import type { ReplicaAddress } from './manager-api.ts';

type FaultScript = DistributiveOptional<Fault>;
/** Fields with defaults may be left out of a script. */
type DistributiveOptional<T> = T extends { kind: infer K } ? { kind: K } & Partial<Omit<T, 'kind'>> : never;

/** Scripts a simulated replica and asks what it saw. */
export class ReplicaAdmin {
  readonly #url: string;

  constructor(replica: Pick<RunningReplica, 'adminUrl'>) {
    this.#url = replica.adminUrl;
  }

  async fault(...script: readonly FaultScript[]): Promise<void> {
    const answer = await call(`${this.#url}/faults`, { body: script });
    if (answer.status !== 200) throw new Error(`the replica refused the script: ${answer.text}`);
  }

  async clearFaults(): Promise<void> {
    await call(`${this.#url}/faults`, { method: 'DELETE' });
  }

  async behave(patch: BehaviourPatch): Promise<void> {
    const answer = await call(`${this.#url}/behaviour`, { method: 'PUT', body: patch });
    if (answer.status !== 200) throw new Error(`the replica refused the behaviour: ${answer.text}`);
  }

  async reset(): Promise<void> {
    await call(`${this.#url}/reset`, { method: 'POST' });
  }

  /** Inference calls seen since the last reset, oldest first. */
  async inferenceCalls(): Promise<readonly SeenRequest[]> {
    const { json } = await call<{ requests: SeenRequest[] }>(`${this.#url}/requests`);
    return json.requests.filter(({ method }) => method === 'POST');
  }

  async stats(): Promise<ReplicaStatsAnswer> {
    return (await call<ReplicaStatsAnswer>(`${this.#url}/stats`)).json;
  }
}

export interface ReplicaStatsAnswer {
  readonly requests: number;
  readonly active: number;
  readonly completed: number;
  readonly aborted_sockets: number;
  readonly open_sockets: number;
}

export function addressOf(replica: Pick<RunningReplica, 'url'>): ReplicaAddress {
  const { hostname, port } = new URL(replica.url);
  return { host: hostname, port: Number(port) };
}
