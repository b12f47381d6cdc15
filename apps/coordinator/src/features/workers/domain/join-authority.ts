import { WireError, type InternalFrontend, type WorkerRequest } from '@penstock/protocol';

/** What is known of an authority before one more node registers. */
export interface KnownAuthority {
  readonly status: string;
  readonly legacyNodes: number;
  readonly hasInternalFrontend: boolean;
  readonly internalCircuits: number;
}

/** What the row of the authority says with that node. */
export interface Joining {
  readonly legacyNodes: number;
  readonly internalFrontend: InternalFrontend | null;
}

type Request = Pick<WorkerRequest, 'authority' | 'node_id' | 'internal_frontend'>;

/**
 * Counts the node and decides whether its authority can host internal circuits. Events reach every node of an
 * authority, so one that knows nothing of them would put internal circuits on its public frontend.
 * @throws WireError 400 the authority hosts internal circuits and this node has no place for them
 */
export function joinAuthority(request: Request, known: KnownAuthority | null): Joining {
  const { authority, internal_frontend: announced = null } = request;
  if (announced === null && known !== null && known.internalCircuits > 0) {
    throw new WireError('missingFrontendConfig', {
      msg: `Authority ${authority} hosts internal circuits: each of its nodes needs an internal frontend`,
    });
  }
  return {
    legacyNodes: countLegacy(request, known),
    internalFrontend: hasUnableNodes(known) ? null : announced,
  };
}

/** Those counted when everybody was lost are gone; without this a worker that was killed would count for ever. */
function countLegacy({ node_id }: Request, known: KnownAuthority | null): number {
  const before = known?.legacyNodes ?? 0;
  if (node_id !== null) return before;
  return known?.status === 'LOST' ? 1 : before + 1;
}

/** A living node without an id is a stock worker unless the authority had an internal frontend all along. */
function hasUnableNodes(known: KnownAuthority | null): boolean {
  return known?.status === 'ALIVE' && known.legacyNodes > 0 && !known.hasInternalFrontend;
}
