import type { Circuit, EndpointItem, FrontendMode, InternalFrontend } from '@penstock/protocol';

import type { Circuit as CircuitRow } from '../../../generated/prisma/client.js';
import type { Executor } from '../../../persistence/index.js';
import { toAddressed, toCircuit } from '../../circuits/index.js';
import type { AddressedCircuit, WorkerAddress } from '../../placement/index.js';
import type { HostWorker } from '../../propagation/index.js';

/** The worker of an endpoint's circuit: where it is reached, and who of it is alive. */
export type HomeWorker = WorkerAddress & HostWorker;

/** A circuit of an endpoint where it lives. */
export interface EndpointHome {
  readonly worker: HomeWorker;
  readonly circuit: Circuit;
  readonly stored: AddressedCircuit;
  readonly acknowledged: boolean;
}

export function toHome(row: CircuitRow, worker: HomeWorker): EndpointHome {
  return { worker, circuit: toCircuit(row), stored: toAddressed(row), acknowledged: row.ackedAt !== null };
}

/** Endpoint id -> the circuit it has already. */
export async function readHomes(
  db: Executor,
  items: readonly Pick<EndpointItem, 'deployment_id'>[],
): Promise<Map<string, EndpointHome>> {
  const rows = await db.circuit.findMany({
    where: { endpointId: { in: items.map((item) => item.deployment_id) } },
    include: { worker: true },
  });
  return new Map(
    rows.flatMap(({ worker, ...row }) =>
      row.endpointId ? [[row.endpointId, toHome(row, withWireTypes(worker))]] : [],
    ),
  );
}

function withWireTypes<W extends { readonly frontendMode: string; readonly internalFrontend: unknown }>(
  worker: W,
) {
  return {
    ...worker,
    frontendMode: worker.frontendMode as FrontendMode,
    internalFrontend: worker.internalFrontend as InternalFrontend | null,
  };
}
