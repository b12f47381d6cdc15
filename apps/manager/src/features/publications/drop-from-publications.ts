import type { AuditEntry } from '../audit/index.js';
import type { DirtyEntity } from '../outbox/index.js';
import type { Queries } from '../storage/index.js';
import { publicationAudit, publicationRef } from './publication-rows.js';

export interface Dropped {
  readonly dirty: readonly DirtyEntity[];
  readonly audit: readonly AuditEntry[];
  /** One sentence per publication that has no deployment left. */
  readonly warnings: readonly string[];
}

/**
 * Takes a deployment that is about to go out of every publication. An emptied publication stays published: its
 * names stay taken, listed and granted, and whoever owns it decides what they lead to next.
 */
export async function dropFromPublications(tx: Queries, deploymentId: string): Promise<Dropped> {
  const rows = await tx.modelPublication.findMany({
    where: { endpoints: { some: { endpoint_id: deploymentId } } },
    include: { endpoints: true },
    orderBy: { id: 'asc' },
  });
  await tx.modelPublicationEndpoint.deleteMany({ where: { endpoint_id: deploymentId } });
  await tx.modelPublication.updateMany({
    where: { id: { in: rows.map(({ id }) => id) } },
    data: { updated_at: new Date() },
  });
  return {
    dirty: rows.map((row) => ({ ref: publicationRef(row), removed: false })),
    audit: rows.map((row) => publicationAudit('publication.unmap', row, { deployment_id: deploymentId })),
    warnings: rows
      .filter(({ endpoints }) => endpoints.length === 1)
      .map(({ name }) => `The publication ${name} has no deployment left and answers nobody.`),
  };
}
