import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@penstock/protocol';

import type { Deployment, UpstreamBinding } from '../../generated/prisma/client.js';
import { notFound } from '../../problems.js';
import {
  hasRole,
  type Principal,
  type RequestContext,
  requireRole,
  requireVisible,
} from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import { ChangeService, type Propagated } from '../changes/index.js';
import { deploymentRef, lockDeploymentRow, readDeploymentRow } from '../deployment-rows/index.js';
import { Database, type Queries } from '../storage/index.js';
import {
  type Binding,
  bindingAudit,
  bindUpstream,
  lockBindings,
  unbindingAudit,
  unbindUpstream,
} from './bind-upstream.js';
import { TOKEN_CIPHER } from './bindings-options.js';
import { DeliverEnvironmentService } from './deliver-environment.service.js';
import { stateOf } from './domain/rotation-schedule.js';
import type { TokenCipher } from './domain/token-cipher.js';
import { RotateTokenService } from './rotate-token.service.js';
import { DEFAULT_ROTATION_INTERVAL_S, type PutUpstream } from './upstream.schemas.js';

interface Unbound {
  readonly deployment_id: string;
  readonly upstream_deployment_id: null;
}

/** Which deployment another one calls. */
@Injectable()
export class UpstreamsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
    @Inject(RotateTokenService) private readonly rotation: RotateTokenService,
    @Inject(DeliverEnvironmentService) private readonly delivery: DeliverEnvironmentService,
    @Inject(TOKEN_CIPHER) private readonly cipher: TokenCipher | null,
  ) {}

  async get(principal: Principal, id: string): Promise<UpstreamView> {
    const deployment = await this.database.read((db) => readDeploymentRow(db, principal, id));
    return this.#view(deployment);
  }

  /** Binds, or binds to another one, and mints the first token before it answers, if the coordinator is there. */
  async put(context: RequestContext, id: string, input: PutUpstream): Promise<Propagated<UpstreamView>> {
    const binding = {
      upstreamId: input.upstream_deployment_id,
      rotationIntervalSeconds: input.rotation_interval_s,
    };
    const { propagation } = await this.changes.apply(context, async (tx) => {
      await lockBindings(tx);
      const downstream = await lockDeploymentRow(tx, context.principal, id);
      const audit = await this.bindInside(tx, context.principal, downstream, binding);
      return {
        view: {},
        audit,
        dirty: [{ ref: deploymentRef(downstream), removed: false }],
      };
    });
    await this.afterBinding(id);
    const deployment = await this.database.read((db) => readDeploymentRow(db, context.principal, id));
    return { ...(await this.#view(deployment)), propagation };
  }

  /** Either side may end it: a member of the downstream's project, or an administrator of the upstream's. */
  async remove(context: RequestContext, id: string): Promise<Propagated<Unbound>> {
    const unbound = await this.changes.apply(context, async (tx) => {
      const downstream = await lockBound(tx, context.principal, id);
      await unbindUpstream(tx, downstream);
      return {
        view: { deployment_id: id, upstream_deployment_id: null },
        audit: unbindingAudit(downstream),
        dirty: [{ ref: deploymentRef(downstream), removed: false }],
      };
    });
    await this.delivery.deliver(id);
    return unbound;
  }

  /**
   * For a deployment that is made with an upstream, in the transaction that makes it.
   * @returns rows for the audit log
   * @throws AppError `upstream.not_configured`, or what is wrong with the upstream
   */
  async bindInside(
    tx: Queries,
    principal: Principal,
    downstream: Deployment,
    wanted: Omit<Binding, 'rotationIntervalSeconds'> & Partial<Binding>,
  ): Promise<AuditEntry[]> {
    if (this.cipher === null) {
      throw new AppError(
        'upstream.not_configured',
        'The manager has no encryption_key, so it could not keep the token of an upstream.',
      );
    }
    const binding = { rotationIntervalSeconds: DEFAULT_ROTATION_INTERVAL_S, ...wanted };
    await bindUpstream(tx, principal, downstream, binding);
    return bindingAudit(downstream, binding);
  }

  /** After the commit. The token of another upstream must not lie around while there is no new one. */
  async afterBinding(deploymentId: string): Promise<void> {
    await this.rotation.rotateNow(deploymentId);
    await this.delivery.deliver(deploymentId);
  }

  /** After a deployment was deleted. */
  async afterRemoval(deploymentId: string): Promise<void> {
    await this.delivery.deliver(deploymentId);
  }

  async #view({ id, upstream_deployment_id }: Deployment): Promise<UpstreamView> {
    const binding = await this.database.read((db) =>
      db.upstreamBinding.findUnique({ where: { deployment_id: id } }),
    );
    if (binding === null || upstream_deployment_id === null) throw notFound('upstream');
    return toView(binding, upstream_deployment_id);
  }
}

async function lockBound(tx: Queries, principal: Principal, id: string): Promise<Deployment> {
  await tx.$queryRaw`SELECT id FROM deployments WHERE id = ${id}::uuid FOR UPDATE`;
  const row = await tx.deployment.findUnique({ where: { id }, include: { upstream: true } });
  const fromAbove = row?.upstream != null && hasRole(principal, row.upstream.project_id, 'admin');
  const downstream = fromAbove ? row : requireVisible(principal, row, 'deployment');
  if (!fromAbove) requireRole(principal, downstream.project_id, 'member');
  if (downstream.upstream_deployment_id === null) throw notFound('upstream');
  return downstream;
}

type UpstreamView = ReturnType<typeof toView>;

function toView(row: UpstreamBinding, upstreamId: string) {
  return {
    deployment_id: row.deployment_id,
    upstream_deployment_id: upstreamId,
    rotation_interval_s: row.rotation_interval_s,
    token_state: stateOf(row.expires_at, row.rotation_interval_s, new Date()),
    issued_at: row.issued_at,
    expires_at: row.expires_at,
    next_rotation_at: row.next_rotation_at,
    failed_attempts: row.attempts,
    last_error: row.last_error,
  };
}
