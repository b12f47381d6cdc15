import type { Circuit, CircuitAccess } from '@penstock/protocol';

import type { Executor } from '../../../persistence/index.js';
import { PlacementBoard } from '../../placement/index.js';
import { refusePublishedInternals } from '../../publications/index.js';

/**
 * A circuit that becomes internal or public leaves its slot and gets one on the other frontend of the same worker.
 * @throws WireError 503 that worker has no such frontend or no slot left, 409 internal while published
 */
export async function moveBetweenFrontends(
  db: Executor,
  before: CircuitAccess,
  { circuit, access }: { readonly circuit: Circuit; readonly access: CircuitAccess },
): Promise<Circuit> {
  if (before.visibility === access.visibility) return circuit;
  const board = await PlacementBoard.open(db);
  const { port, subdomain } = await board.replace(circuit.worker, {
    protocol: circuit.protocol,
    appMode: circuit.app_mode,
    visibility: access.visibility,
    authority: null,
    existingUrl: null,
    properties: new Map(),
    preferredLabel: circuit.app,
    preferredPort: null,
  });
  if (access.visibility === 'internal' && circuit.endpoint_id !== null)
    await refusePublishedInternals(db, [circuit.endpoint_id]);
  // Labels are told apart per worker, whichever frontend they are for: its own is free for it.
  return { ...circuit, port, subdomain: subdomain && (circuit.subdomain ?? subdomain) };
}
