import { Inject, Injectable } from '@nestjs/common';
import type { AppError } from '@penstock/protocol';

import { newId } from '../../new-id.js';
import { fieldProblem, notFound } from '../../problems.js';
import type { Principal, RequestContext } from '../access/index.js';
import { ChangeService, type Propagated } from '../changes/index.js';
import { Database, jsonColumn, type Queries } from '../storage/index.js';
import { PartChanges } from './part-changes.js';
import { readDeployment } from './deployment-rows.js';
import { type DeploymentRow, replicaView, type ReplicaView } from './deployment.view.js';
import { ReplicaAddressPolicy } from './replica-address.policy.js';
import { chooseGroup } from './replica-groups.service.js';
import {
  type AddReplica,
  type PatchReplica,
  type ReplaceReplicas,
  type ReplicaParams,
  REPLICAS_MAX,
} from './replicas.schemas.js';

interface ReplicaList {
  readonly items: ReplicaView[];
  readonly next_cursor: null;
}

/** The listed replicas of one deployment. */
@Injectable()
export class ReplicasService {
  readonly #parts: PartChanges;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) changes: ChangeService,
    @Inject(ReplicaAddressPolicy) private readonly addresses: ReplicaAddressPolicy,
  ) {
    this.#parts = new PartChanges(changes, alreadyThere);
  }

  async list(principal: Principal, deploymentId: string): Promise<ReplicaList> {
    return listOf(await this.database.read((db) => readDeployment(db, principal, deploymentId)));
  }

  async add(
    context: RequestContext,
    deploymentId: string,
    input: AddReplica,
  ): Promise<Propagated<ReplicaView>> {
    await this.addresses.check([{ field: 'host', host: input.host }]);
    return this.#parts.apply(context, deploymentId, 'replica.add', { ...input }, async (tx, deployment) => {
      const count = deployment.replica_groups.reduce((sum, group) => sum + group.replicas.length, 0);
      if (count >= REPLICAS_MAX)
        throw fieldProblem('host', `A deployment may have ${REPLICAS_MAX} replicas.`);
      return replicaView(await insert(tx, deployment, input, 'replica_group_id'));
    });
  }

  /** Replaces all. A replica that keeps its host and port keeps its id, and with it what routers know about it. */
  async replace(
    context: RequestContext,
    deploymentId: string,
    input: ReplaceReplicas,
  ): Promise<Propagated<ReplicaList>> {
    await this.addresses.check(
      input.replicas.map(({ host }, index) => ({ field: `replicas.${index}.host`, host })),
    );
    return this.#parts.apply(
      context,
      deploymentId,
      'replica.replace',
      { ...input },
      async (tx, deployment) => {
        await replaceAll(tx, deployment, input.replicas);
        return listOf(await readDeployment(tx, context.principal, deploymentId));
      },
    );
  }

  async patch(
    context: RequestContext,
    { id, replicaId }: ReplicaParams,
    input: PatchReplica,
  ): Promise<Propagated<ReplicaView>> {
    if (input.host !== undefined) await this.addresses.check([{ field: 'host', host: input.host }]);
    const changes = { replica_id: replicaId, ...input };
    return this.#parts.apply(context, id, 'replica.update', changes, async (tx, deployment) => {
      requireReplica(deployment, replicaId);
      if (input.replica_group_id !== undefined) {
        await chooseGroup(tx, deployment, input.replica_group_id, 'replica_group_id');
      }
      const { accelerators, ...rest } = input;
      const data = { ...rest, ...(accelerators !== undefined && { accelerators: jsonColumn(accelerators) }) };
      return replicaView(await tx.replica.update({ where: { id: replicaId }, data }));
    });
  }

  async remove(
    context: RequestContext,
    { id, replicaId }: ReplicaParams,
  ): Promise<Propagated<{ id: string }>> {
    const changes = { replica_id: replicaId };
    return this.#parts.apply(context, id, 'replica.delete', changes, async (tx, deployment) => {
      requireReplica(deployment, replicaId);
      await tx.replica.delete({ where: { id: replicaId } });
      return { id: replicaId };
    });
  }
}

function alreadyThere(): AppError {
  return fieldProblem('host', 'The deployment lists this host and port already.', 'resource.already_exists');
}

async function insert(tx: Queries, deployment: DeploymentRow, input: AddReplica, groupField: string) {
  const { accelerators, replica_group_id, ...rest } = input;
  return tx.replica.create({
    data: {
      id: newId(),
      deployment_id: deployment.id,
      domain: deployment.domain,
      project_id: deployment.project_id,
      replica_group_id: await chooseGroup(tx, deployment, replica_group_id, groupField),
      ...rest,
      accelerators: jsonColumn(accelerators),
    },
  });
}

async function replaceAll(
  tx: Queries,
  deployment: DeploymentRow,
  wanted: readonly AddReplica[],
): Promise<void> {
  const listed = deployment.replica_groups.flatMap((group) => group.replicas);
  const kept = new Set<string>();
  const seen = new Set<string>();
  for (const [index, input] of wanted.entries()) {
    const address = `${input.host} ${input.port}`;
    if (seen.has(address)) throw fieldProblem(`replicas.${index}`, 'This host and port is listed twice.');
    seen.add(address);
    const existing = listed.find(({ host, port }) => host === input.host && port === input.port);
    if (existing !== undefined) kept.add(existing.id);
  }
  const gone = listed.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  await tx.replica.deleteMany({ where: { id: { in: gone } } });
  for (const [index, input] of wanted.entries()) await put(tx, deployment, listed, input, index);
}

async function put(
  tx: Queries,
  deployment: DeploymentRow,
  listed: readonly { id: string; host: string; port: number; replica_group_id: string }[],
  input: AddReplica,
  index: number,
): Promise<void> {
  const existing = listed.find(({ host, port }) => host === input.host && port === input.port);
  const field = `replicas.${index}.replica_group_id`;
  if (existing === undefined) {
    await insert(tx, deployment, input, field);
    return;
  }
  const group = await chooseGroup(tx, deployment, input.replica_group_id ?? existing.replica_group_id, field);
  const { accelerators, weight } = input;
  const data = { weight, accelerators: jsonColumn(accelerators), replica_group_id: group };
  await tx.replica.update({ where: { id: existing.id }, data });
}

function requireReplica(deployment: DeploymentRow, replicaId: string): void {
  const listed = deployment.replica_groups.some((group) => group.replicas.some(({ id }) => id === replicaId));
  if (!listed) throw notFound('replica');
}

function listOf(deployment: DeploymentRow): ReplicaList {
  const items = deployment.replica_groups.flatMap((group) => group.replicas.map(replicaView));
  return { items, next_cursor: null };
}
