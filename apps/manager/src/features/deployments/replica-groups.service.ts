import { Inject, Injectable } from '@nestjs/common';
import type { AppError } from '@penstock/protocol';

import { newId } from '../../new-id.js';
import { fieldProblem, notFound } from '../../problems.js';
import type { Principal, RequestContext } from '../access/index.js';
import { ChangeService, type Propagated } from '../changes/index.js';
import { Database, type Queries } from '../storage/index.js';
import { PartChanges } from './part-changes.js';
import { readDeployment } from './deployment-rows.js';
import { type DeploymentRow, groupView, type GroupView } from './deployment.view.js';
import {
  DEFAULT_GROUP,
  type GroupInput,
  type GroupParams,
  type PatchGroup,
} from './replica-groups.schemas.js';

/** The tiers of one deployment among which `traffic_weight` shares its requests. */
@Injectable()
export class ReplicaGroupsService {
  readonly #parts: PartChanges;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) changes: ChangeService,
  ) {
    this.#parts = new PartChanges(changes, alreadyThere);
  }

  async list(principal: Principal, deploymentId: string): Promise<{ items: GroupView[]; next_cursor: null }> {
    const row = await this.database.read((db) => readDeployment(db, principal, deploymentId));
    return { items: row.replica_groups.map(groupView), next_cursor: null };
  }

  async add(
    context: RequestContext,
    deploymentId: string,
    input: GroupInput,
  ): Promise<Propagated<GroupView>> {
    return this.#parts.apply(
      context,
      deploymentId,
      'replica-group.add',
      { ...input },
      async (tx, deployment) => {
        const row = await insertGroup(tx, deployment, input);
        return groupView({ ...row, replicas: [] });
      },
    );
  }

  async patch(
    context: RequestContext,
    { id, groupId }: GroupParams,
    input: PatchGroup,
  ): Promise<Propagated<GroupView>> {
    const changes = { replica_group_id: groupId, ...input };
    return this.#parts.apply(context, id, 'replica-group.update', changes, async (tx, deployment) => {
      requireGroup(deployment, groupId);
      const row = await tx.replicaGroup.update({
        where: { id: groupId },
        data: input,
        include: { replicas: { orderBy: { id: 'asc' } } },
      });
      return groupView(row);
    });
  }

  /** Takes the replicas of the group with it. */
  async remove(context: RequestContext, { id, groupId }: GroupParams): Promise<Propagated<{ id: string }>> {
    const changes = { replica_group_id: groupId };
    return this.#parts.apply(context, id, 'replica-group.delete', changes, async (tx, deployment) => {
      requireGroup(deployment, groupId);
      await tx.replicaGroup.delete({ where: { id: groupId } });
      return { id: groupId };
    });
  }
}

function alreadyThere(): AppError {
  return fieldProblem('name', 'The deployment has a group of this name.', 'resource.already_exists');
}

/**
 * Id of the group a replica joins: the named one, else the default one, which is made when there is no group yet.
 * @throws AppError `request.invalid` when the group is not of this deployment, or must be named
 */
export async function chooseGroup(
  tx: Queries,
  deployment: DeploymentRow,
  groupId: string | undefined,
  field: string,
): Promise<string> {
  const groups = await tx.replicaGroup.findMany({ where: { deployment_id: deployment.id } });
  if (groupId !== undefined) {
    if (groups.some(({ id }) => id === groupId)) return groupId;
    throw fieldProblem(field, 'The deployment has no such replica group.');
  }
  const [first, ...others] = groups;
  if (first === undefined) {
    return (await insertGroup(tx, deployment, { traffic_weight: 100, lifecycle: 'stable' })).id;
  }
  const chosen =
    groups.find(({ name }) => name === DEFAULT_GROUP) ?? (others.length === 0 ? first : undefined);
  if (chosen === undefined) throw fieldProblem(field, 'Name one of the replica groups of the deployment.');
  return chosen.id;
}

async function insertGroup(tx: Queries, deployment: DeploymentRow, input: GroupInput) {
  const names = new Set(deployment.replica_groups.map(({ name }) => name));
  let position = names.size + 1;
  while (names.has(`group-${position}`)) position += 1;
  return tx.replicaGroup.create({
    data: {
      id: newId(),
      deployment_id: deployment.id,
      domain: deployment.domain,
      project_id: deployment.project_id,
      ...input,
      name: input.name ?? (names.size === 0 ? DEFAULT_GROUP : `group-${position}`),
    },
  });
}

function requireGroup(deployment: DeploymentRow, groupId: string): void {
  if (!deployment.replica_groups.some(({ id }) => id === groupId)) throw notFound('replica group');
}
