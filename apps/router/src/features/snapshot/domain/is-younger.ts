import type { Circuit } from '@penstock/protocol';

/** Whether a circuit was created after another. */
export function isYounger(circuit: Circuit, other: Circuit): boolean {
  return Date.parse(circuit.created_at) > Date.parse(other.created_at);
}
