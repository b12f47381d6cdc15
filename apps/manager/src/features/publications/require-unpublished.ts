import { AppError } from '@penstock/protocol';

import { nameVisible, type Principal } from '../access/index.js';
import type { Queries } from '../storage/index.js';

/**
 * For a deployment that is to become internal, and is locked: nobody can map it meanwhile.
 * @throws AppError `deployment.published` naming the publications that lead to it
 */
export async function requireUnpublished(
  tx: Queries,
  principal: Principal,
  deploymentId: string,
): Promise<void> {
  const publications = await tx.modelPublication.findMany({
    where: { endpoints: { some: { endpoint_id: deploymentId } } },
    orderBy: { id: 'asc' },
  });
  if (publications.length === 0) return;
  throw new AppError(
    'deployment.published',
    `An internal deployment cannot be published, and this one is mapped by ${nameVisible(principal, publications)}.`,
  );
}
