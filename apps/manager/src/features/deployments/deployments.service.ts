import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@penstock/observability';

import { fieldProblem, onDuplicate } from '../../problems.js';
import { LOGGER } from '../../telemetry.js';
import { type Principal, projectFilter, type RequestContext } from '../access/index.js';
import { ChangeService, type Propagated } from '../changes/index.js';
import { deploymentAudit, deploymentRef } from '../deployment-rows/index.js';
import { type Page, pageById, toPage } from '../listing/index.js';
import { dropFromPublications, requireUnpublished } from '../publications/index.js';
import { Database, json, jsonColumn } from '../storage/index.js';
import { requireNoDownstreams, unbindingAudit, UpstreamsService } from '../upstream-bindings/index.js';
import { accessAfter, accessWarnings } from './access-fields.js';
import { AddressReader, type ChangedDeployment } from './address-reader.js';
import { lockDeployment, readDeployment } from './deployment-rows.js';
import { deploymentView, type DeploymentView, WITH_REPLICAS } from './deployment.view.js';
import type { DeploymentQuery, PatchDeployment } from './deployments.schemas.js';

/** Reads, changes and removes deployments. */
@Injectable()
export class DeploymentsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
    @Inject(UpstreamsService) private readonly upstreams: UpstreamsService,
    @Inject(AddressReader) private readonly answers: AddressReader,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async get(principal: Principal, id: string): Promise<DeploymentView> {
    return deploymentView(await this.database.read((db) => readDeployment(db, principal, id)));
  }

  async list(principal: Principal, query: DeploymentQuery): Promise<Page<DeploymentView>> {
    const { limit, cursor, ...filters } = query;
    const { after, take } = pageById({ limit, cursor });
    const rows = await this.database.read((db) =>
      db.deployment.findMany({
        where: { AND: [projectFilter(principal), filters, after] },
        include: WITH_REPLICAS,
        orderBy: { id: 'asc' },
        take,
      }),
    );
    return toPage(rows, limit, (row) => row.id, deploymentView);
  }

  async patch(
    context: RequestContext,
    id: string,
    input: PatchDeployment,
  ): Promise<Propagated<ChangedDeployment>> {
    const change = this.changes.apply(context, async (tx) => {
      const before = await lockDeployment(tx, context.principal, id);
      const access = accessAfter(before, input);
      if (access.visibility === 'internal') await requireUnpublished(tx, context.principal, id);
      await tx.deployment.update({ where: { id }, data: { ...columnsOf(input), ...access } });
      const row = await readDeployment(tx, context.principal, id);
      return {
        view: { ...deploymentView(row), warnings: accessWarnings(input) },
        audit: [deploymentAudit('deployment.update', row, { ...input })],
        dirty: [{ ref: deploymentRef(before), removed: false }],
      };
    });
    const changed = await change.catch(
      onDuplicate(() =>
        fieldProblem('name', 'The project has a deployment of this name.', 'resource.already_exists'),
      ),
    );
    return this.answers.withAddress(changed);
  }

  /** Publications lose their mapping to it; one that has none left stays published, with a warning. */
  async remove(
    context: RequestContext,
    id: string,
  ): Promise<Propagated<{ id: string; warnings: readonly string[] }>> {
    const removed = await this.changes.apply(context, async (tx) => {
      const row = await lockDeployment(tx, context.principal, id);
      await requireNoDownstreams(tx, context.principal, id);
      const dropped = await dropFromPublications(tx, id);
      await tx.deployment.delete({ where: { id } });
      return {
        view: { id, warnings: dropped.warnings },
        audit: [...unbindingAudit(row), deploymentAudit('deployment.delete', row), ...dropped.audit],
        dirty: [{ ref: deploymentRef(row), removed: true }, ...dropped.dirty],
      };
    });
    await this.upstreams.afterRemoval(id);
    for (const warning of removed.warnings)
      this.logger.warn({ deployment: id, warning }, 'publication emptied');
    return removed;
  }
}

/** The columns that a change names itself; who may reach the deployment follows from several. */
function columnsOf({ name, served_model, capabilities, policy, allowed_client_ips }: PatchDeployment) {
  return {
    ...(name !== undefined && { name }),
    ...(served_model !== undefined && { served_model }),
    ...(capabilities !== undefined && { capabilities: json(capabilities) }),
    ...(policy !== undefined && { policy: jsonColumn(policy) }),
    ...(allowed_client_ips !== undefined && { allowed_client_ips: jsonColumn(allowed_client_ips) }),
  };
}
