import { AppError } from '@penstock/protocol';

import type { Deployment } from '../../generated/prisma/client.js';
import { fieldProblem } from '../../problems.js';
import { hasRole, nameVisible, type Principal, userSees } from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import { deploymentAudit } from '../deployment-rows/index.js';
import type { Queries } from '../storage/index.js';
import { FREE } from './bindings.store.js';
import { ancestorsOf } from './lineage.js';

const FIELD = 'upstream_deployment_id';

/** Any number that nothing else in this database locks. */
const BINDINGS_LOCK = 618_034_001;

export interface Binding {
  readonly upstreamId: string;
  readonly rotationIntervalSeconds: number;
}

/**
 * One binding at a time: two that are fine alone could close a circle together. Taken before the rows, because each
 * binding needs two of them.
 */
export async function lockBindings(tx: Queries): Promise<void> {
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(${BINDINGS_LOCK})::text`;
}

/**
 * Makes `upstreamId` what the downstream calls, inside the transaction of the change. The caller must be allowed to
 * change the downstream already, and be a member where the upstream is.
 * @throws AppError naming the field at fault, or `upstream.cycle`
 */
export async function bindUpstream(
  tx: Queries,
  principal: Principal,
  downstream: Deployment,
  binding: Binding,
): Promise<void> {
  await lockBindings(tx);
  const upstream = await holdUpstream(tx, principal, binding.upstreamId);
  await refuseCycle(tx, downstream, upstream);
  if (!(await userSees(tx, downstream.created_by, upstream.project_id))) {
    throw fieldProblem(FIELD, 'The owner of the deployment has no role in the project of this upstream.');
  }
  await tx.deployment.update({ where: { id: downstream.id }, data: { upstream_deployment_id: upstream.id } });
  await writeBinding(tx, downstream, binding);
}

/** Takes the upstream away. Its last token stays good until it expires. */
export async function unbindUpstream(tx: Queries, downstream: Deployment): Promise<void> {
  await tx.deployment.update({ where: { id: downstream.id }, data: { upstream_deployment_id: null } });
  await tx.upstreamBinding.deleteMany({ where: { deployment_id: downstream.id } });
}

/** What binding leaves in the audit log; `downstream` is as it was before. Another upstream ends the binding there was. */
export function bindingAudit(downstream: Deployment, binding: Binding): AuditEntry[] {
  const { upstreamId: upstream_deployment_id, rotationIntervalSeconds: rotation_interval_s } = binding;
  const ended =
    downstream.upstream_deployment_id === upstream_deployment_id ? [] : unbindingAudit(downstream);
  const changes = { upstream_deployment_id, rotation_interval_s };
  return [...ended, deploymentAudit('deployment.bind', downstream, changes)];
}

/** What the end of a binding leaves there, whatever ended it; nothing when there was none. */
export function unbindingAudit(downstream: Deployment): AuditEntry[] {
  const { upstream_deployment_id } = downstream;
  if (upstream_deployment_id === null) return [];
  return [deploymentAudit('deployment.unbind', downstream, { upstream_deployment_id })];
}

/**
 * For a deployment that is about to be deleted, and is locked.
 * @throws AppError `deployment.has_downstreams` naming them
 */
export async function requireNoDownstreams(tx: Queries, principal: Principal, id: string): Promise<void> {
  const downstreams = await tx.deployment.findMany({
    where: { upstream_deployment_id: id },
    orderBy: { id: 'asc' },
  });
  if (downstreams.length === 0) return;
  throw new AppError(
    'deployment.has_downstreams',
    `The deployment is the upstream of ${nameVisible(principal, downstreams)}. Unbind or delete these first.`,
  );
}

/** Held until the end of the transaction, so that it is not deleted meanwhile. */
async function holdUpstream(tx: Queries, principal: Principal, id: string): Promise<Deployment> {
  await tx.$queryRaw`SELECT id FROM deployments WHERE id = ${id}::uuid FOR SHARE`;
  const row = await tx.deployment.findUnique({ where: { id } });
  if (row === null || !hasRole(principal, row.project_id, 'member')) {
    throw fieldProblem(FIELD, 'There is no such deployment.');
  }
  return row;
}

async function refuseCycle(tx: Queries, downstream: Deployment, upstream: Deployment): Promise<void> {
  if (upstream.id === downstream.id) {
    throw fieldProblem(FIELD, 'A deployment cannot be its own upstream.', 'upstream.cycle');
  }
  const ancestors = await ancestorsOf(tx, upstream.id);
  if (ancestors.includes(downstream.id)) {
    throw fieldProblem(FIELD, 'This upstream calls the deployment, directly or not.', 'upstream.cycle');
  }
}

/** Another upstream begins without a token; another interval keeps the one there is and never rotates it later. */
async function writeBinding(tx: Queries, downstream: Deployment, binding: Binding): Promise<void> {
  const { rotationIntervalSeconds: rotation_interval_s, upstreamId } = binding;
  const { id: deployment_id, domain, project_id } = downstream;
  if (downstream.upstream_deployment_id !== upstreamId) {
    await tx.upstreamBinding.deleteMany({ where: { deployment_id } });
    await tx.upstreamBinding.create({ data: { deployment_id, domain, project_id, rotation_interval_s } });
    return;
  }
  const before = await tx.upstreamBinding.findUniqueOrThrow({ where: { deployment_id } });
  const soonestMs = (before.issued_at?.getTime() ?? 0) + rotation_interval_s * 1_000;
  const next_rotation_at = new Date(Math.min(before.next_rotation_at.getTime(), soonestMs));
  await tx.upstreamBinding.update({
    where: { deployment_id },
    data: { rotation_interval_s, next_rotation_at, ...FREE },
  });
}
