import type { Circuit } from '@penstock/protocol';

/**
 * A circuit as it is held, whichever way it came: a public one says who may reach it by `open_to_public` alone, as it does
 * on the wire. Two forms of one circuit would look like a change each time they meet.
 */
export function heldCircuit(circuit: Circuit): Circuit {
  if (circuit.visibility !== 'public') return circuit;
  const { visibility: _visibility, requires_token: _requiresToken, ...rest } = circuit;
  return rest;
}
