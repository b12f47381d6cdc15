import { Inject, Injectable } from '@nestjs/common';
import { violatedConstraint } from '@penstock/database';
import { AppError } from '@penstock/protocol';

import { newId } from '../../new-id.js';
import { DEFAULT_AUTHORITY } from '../../default-authority.js';
import { fieldProblem, onDuplicate } from '../../problems.js';
import { canSee, type RequestContext, requireRole } from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import { ChangeService, type Propagated } from '../changes/index.js';
import { deploymentAudit, deploymentRef } from '../deployment-rows/index.js';
import { json, jsonColumn, type Queries } from '../storage/index.js';
import { UpstreamsService } from '../upstream-bindings/index.js';
import { readDeployment } from './deployment-rows.js';
import { accessAfter, accessWarnings } from './access-fields.js';
import { AddressReader, type ChangedDeployment } from './address-reader.js';
import { deploymentView } from './deployment.view.js';
import type { CreateDeployment, GroupWithReplicas } from './deployments.schemas.js';
import { ReplicaAddressPolicy, type WrittenHost } from './replica-address.policy.js';
import { DEFAULT_GROUP } from './replica-groups.schemas.js';

/** Makes a deployment with its replica groups and replicas in one go. */
@Injectable()
export class CreateDeploymentService {
  constructor(
    @Inject(ChangeService) private readonly changes: ChangeService,
    @Inject(ReplicaAddressPolicy) private readonly addresses: ReplicaAddressPolicy,
    @Inject(UpstreamsService) private readonly upstreams: UpstreamsService,
    @Inject(AddressReader) private readonly answers: AddressReader,
    @Inject(DEFAULT_AUTHORITY) private readonly defaultAuthority: string,
  ) {}

  async create(context: RequestContext, input: CreateDeployment): Promise<Propagated<ChangedDeployment>> {
    const { principal } = context;
    if (!canSee(principal, input.project_id)) throw fieldProblem('project_id', 'There is no such project.');
    requireRole(principal, input.project_id, 'member');
    await this.addresses.check(writtenHosts(input));
    const creation = this.changes.apply(context, async (tx) => {
      const id = await insertDeployment(tx, context, input, input.authority ?? this.defaultAuthority);
      for (const [index, group] of groupsOf(input).entries()) await insertGroup(tx, id, input, group, index);
      const bound = await this.#bind(tx, context, id, input);
      const row = await readDeployment(tx, principal, id);
      return {
        view: { ...deploymentView(row), warnings: accessWarnings(input) },
        audit: [deploymentAudit('deployment.create', row, { ...input }), ...bound],
        dirty: [{ ref: deploymentRef(row), removed: false }],
      };
    });
    const made = await creation.catch(onDuplicate(taken));
    if (made.upstream_deployment_id !== null) await this.upstreams.afterBinding(made.id);
    return this.answers.withAddress(made);
  }

  async #bind(
    tx: Queries,
    { principal }: RequestContext,
    id: string,
    { upstream_deployment_id: upstreamId }: CreateDeployment,
  ): Promise<AuditEntry[]> {
    if (upstreamId === null) return [];
    const row = await tx.deployment.findUniqueOrThrow({ where: { id } });
    return this.upstreams.bindInside(tx, principal, row, { upstreamId });
  }
}

function writtenHosts(input: CreateDeployment): WrittenHost[] {
  const listed = (input.replicas ?? []).map(({ host }, index) => ({ field: `replicas.${index}.host`, host }));
  const grouped = (input.replica_groups ?? []).flatMap((group, at) =>
    group.replicas.map(({ host }, index) => ({ field: `replica_groups.${at}.replicas.${index}.host`, host })),
  );
  return [...listed, ...grouped];
}

function groupsOf(input: CreateDeployment): readonly GroupWithReplicas[] {
  if (input.replica_groups !== undefined) return input.replica_groups;
  const replicas = input.replicas ?? [];
  return [{ name: DEFAULT_GROUP, traffic_weight: 100, lifecycle: 'stable', replicas }];
}

async function insertDeployment(
  tx: Queries,
  { principal }: RequestContext,
  input: CreateDeployment,
  authority: string,
): Promise<string> {
  const project = await tx.project.findUnique({ where: { id: input.project_id } });
  if (project === null) throw fieldProblem('project_id', 'There is no such project.');
  const { id } = await tx.deployment.create({
    data: {
      id: newId(),
      domain: project.domain,
      project_id: project.id,
      authority,
      name: input.name,
      served_model: input.served_model,
      runtime_variant: input.runtime_variant,
      capabilities: json(input.capabilities),
      policy: jsonColumn(input.policy),
      ...accessAfter(null, input),
      allowed_client_ips: jsonColumn(input.allowed_client_ips),
      created_by: principal.userId,
    },
  });
  return id;
}

async function insertGroup(
  tx: Queries,
  deploymentId: string,
  input: CreateDeployment,
  group: GroupWithReplicas,
  index: number,
): Promise<void> {
  const { domain } = await tx.deployment.findUniqueOrThrow({ where: { id: deploymentId } });
  const owner = { deployment_id: deploymentId, domain, project_id: input.project_id };
  const { replicas, name, ...rest } = group;
  const { id } = await tx.replicaGroup.create({
    data: {
      id: newId(),
      ...owner,
      ...rest,
      name: name ?? (index === 0 ? DEFAULT_GROUP : `group-${index + 1}`),
    },
  });
  await tx.replica.createMany({
    data: replicas.map(({ accelerators, ...replica }) => ({
      id: newId(),
      ...owner,
      replica_group_id: id,
      ...replica,
      accelerators: jsonColumn(accelerators),
    })),
  });
}

/** Says which of the three names or addresses exists twice. */
function taken(error: unknown): AppError {
  const columns = violatedConstraint(error).join(' ');
  if (columns.includes('port')) {
    return fieldProblem('replicas', 'The same host and port is listed twice.', 'resource.already_exists');
  }
  if (columns.includes('deployment_id')) {
    return fieldProblem('replica_groups', 'Two groups have the same name.', 'resource.already_exists');
  }
  return fieldProblem('name', 'The project has a deployment of this name.', 'resource.already_exists');
}
