import { startReplica, type ReplicaOptions, type RunningReplica } from '@penstock/replica-simulator';
import { eventually } from '@penstock/testkit';

import { ManagerApi, unique, type Created, type Mapping } from './manager-api.ts';
import { addressOf, ReplicaAdmin } from './replica-admin.ts';
import { RouterApi } from './router-api.ts';
import type { Stack } from './stack.ts';

export interface DeploymentFixture {
  readonly id: string;
  readonly replicas: readonly RunningReplica[];
  readonly admins: readonly ReplicaAdmin[];
}

export interface DeploymentPlan {
  readonly ratio: number;
  readonly replicas: number;
  readonly behaviour?: Partial<ReplicaOptions>;
}

/** A published name with deployments, replicas and a key of its own, visible on every router. */
export class ModelFixture {
  readonly manager: ManagerApi;
  readonly routers: readonly RouterApi[];
  readonly projectId: string;
  readonly name: string;
  readonly publication: Created;
  readonly key: string;
  readonly keyId: string;
  readonly deployments: readonly DeploymentFixture[];

  private constructor(parts: Omit<ModelFixture, 'router' | 'mappings' | 'setRatios' | 'stop'>) {
    this.manager = parts.manager;
    this.routers = parts.routers;
    this.projectId = parts.projectId;
    this.name = parts.name;
    this.publication = parts.publication;
    this.key = parts.key;
    this.keyId = parts.keyId;
    this.deployments = parts.deployments;
  }

  static async create(stack: Stack, plans: readonly DeploymentPlan[]): Promise<ModelFixture> {
    const manager = new ManagerApi(stack.info);
    const routers = stack.info.routers.map((router) => new RouterApi(router));
    const { id: projectId } = await manager.createProject();
    const deployments = await Promise.all(plans.map((plan) => deploy(manager, projectId, plan)));
    const name = unique('model');
    const mappings = mappingsOf(
      deployments,
      plans.map(({ ratio }) => ratio),
    );
    const publication = await manager.publish(projectId, name, mappings);
    const { key, id: keyId } = await manager.issueKey(projectId, [name]);
    const fixture = new ModelFixture({
      manager,
      routers,
      projectId,
      name,
      publication,
      key,
      keyId,
      deployments,
    });
    await Promise.all(routers.map((router) => untilServed(router, key, name)));
    await Promise.all(deployments.flatMap(({ admins }) => admins.map((admin) => admin.reset())));
    return fixture;
  }

  /** The first router, where it does not matter which. */
  get router(): RouterApi {
    const [first] = this.routers;
    if (first === undefined) throw new Error('the stack has no router');
    return first;
  }

  mappings(ratios: readonly number[]): Mapping[] {
    return mappingsOf(this.deployments, ratios);
  }

  /** Changes the ratios and waits until every router routes by them. */
  async setRatios(ratios: readonly number[]): Promise<void> {
    const mappings = this.mappings(ratios);
    await this.manager.changePublication(this.publication.id, { mappings });
    await Promise.all(this.routers.map((router) => untilRatios(router, this.name, mappings)));
  }

  async stop(): Promise<void> {
    await this.manager.unpublish(this.publication.id);
    await this.manager.revokeKey(this.keyId);
    await Promise.all(this.deployments.flatMap(({ replicas }) => replicas.map((replica) => replica.stop())));
  }
}

/** Waits until the router answers the key's chat call with 200. */
export async function untilServed(router: RouterApi, key: string, model: string): Promise<void> {
  await eventually(async () => {
    const answer = await router.chat(key, model, { max_tokens: 1 });
    if (answer.status !== 200) throw new Error(`still ${answer.status}: ${answer.text}`);
  });
}

async function untilRatios(router: RouterApi, name: string, mappings: readonly Mapping[]): Promise<void> {
  await eventually(async () => {
    const { models = [] } = await router.status();
    const endpoints = models.find((model) => model.name === name)?.endpoints ?? [];
    for (const { deployment_id, ratio } of mappings) {
      const seen = endpoints.find(({ endpoint_id }) => endpoint_id === deployment_id)?.ratio;
      if (seen !== ratio) throw new Error(`${router.baseUrl} still routes ${deployment_id} with ${seen}`);
    }
  });
}

async function deploy(
  manager: ManagerApi,
  projectId: string,
  { replicas, behaviour = {} }: DeploymentPlan,
): Promise<DeploymentFixture> {
  const model = unique('served');
  const options = { ttftMs: 0, interTokenMs: 0, tokens: 8, deterministic: true, ...behaviour, model };
  const running = await Promise.all(
    Array.from({ length: replicas }, (_, index) => startReplica({ ...options, seed: index + 1 })),
  );
  const { id } = await manager.createDeployment(projectId, model, running.map(addressOf));
  return { id, replicas: running, admins: running.map((replica) => new ReplicaAdmin(replica)) };
}

function mappingsOf(deployments: readonly DeploymentFixture[], ratios: readonly number[]): Mapping[] {
  return deployments.map(({ id }, index) => ({ deployment_id: id, ratio: ratios[index] ?? 0 }));
}
