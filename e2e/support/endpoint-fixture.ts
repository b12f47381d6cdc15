import { startReplica, type RunningReplica } from '@penstock/replica-simulator';

import { ManagerApi, unique } from './manager-api.ts';
import { addressOf } from './replica-admin.ts';
import type { Stack } from './stack.ts';

/** A deployment as the manager describes it. */
export interface Deployment {
  readonly id: string;
  readonly url: string;
  readonly visibility: 'public' | 'internal';
  readonly propagation: { readonly status: string };
  readonly warnings: readonly string[];
}

/** Makes deployments with a simulated replica each and mints their tokens, all through the manager. */
export class EndpointFixture {
  readonly manager: ManagerApi;
  readonly replica: RunningReplica;
  readonly projectId: string;

  private constructor(manager: ManagerApi, replica: RunningReplica, projectId: string) {
    this.manager = manager;
    this.replica = replica;
    this.projectId = projectId;
  }

  static async create(stack: Stack): Promise<EndpointFixture> {
    const manager = new ManagerApi(stack.info);
    const replica = await startReplica({ model: 'endpoint-model' });
    return new EndpointFixture(manager, replica, (await manager.createProject()).id);
  }

  async deploy(fields: object = {}): Promise<Deployment> {
    const answer = await this.tryDeploy(fields);
    if (answer.status !== 201) throw new Error(`the deployment was refused: ${answer.text}`);
    return answer.json;
  }

  tryDeploy(fields: object) {
    const replicas = [addressOf(this.replica)];
    const body = { project_id: this.projectId, name: unique('endpoint'), replicas, ...fields };
    return this.manager.raw<Deployment>('/deployments', { body });
  }

  async mint(deploymentId: string): Promise<string> {
    const path = `/deployments/${deploymentId}/tokens`;
    const answer = await this.manager.raw<{ token: string }>(path, { body: {} });
    if (answer.status !== 201) throw new Error(`no token was minted: ${answer.text}`);
    return answer.json.token;
  }

  stop(): Promise<void> {
    return this.replica.stop();
  }
}

/** The `Host` header of a deployment's URL. */
export const hostOf = ({ url }: Pick<Deployment, 'url'>): string => new URL(url).host;
