import { WireError } from '@penstock/protocol';

import type { Executor } from '../../../persistence/index.js';

/**
 * Call it in the transaction that makes an endpoint internal, after the endpoint's circuit was written.
 * @throws WireError 409 naming the models that map the endpoint
 */
export async function refusePublishedEndpoint(db: Executor, endpointId: string): Promise<void> {
  // Waits for publications under way: either they are seen here, or they see the internal circuit.
  await db.$executeRaw`SELECT 1 FROM router_authorities ORDER BY worker_authority FOR SHARE`;
  const mapping = JSON.stringify([{ endpoint_id: endpointId }]);
  const models = await db.$queryRaw<{ readonly model_name: string }[]>`
    SELECT model_name FROM router_models WHERE mappings @> ${mapping}::jsonb ORDER BY model_name`;
  if (models.length === 0) return;
  throw WireError.endpointPublished(
    endpointId,
    models.map(({ model_name }) => model_name),
  );
}
