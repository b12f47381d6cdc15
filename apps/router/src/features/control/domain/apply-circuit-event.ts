import type { Circuit } from '@penstock/protocol';
import { withEntry, withoutEntry, type DesiredState } from './desired-state.js';
import { buryCircuit } from './tombstones.js';

/**
 * Takes over a circuit an event carries whole. An older version than the one held is ignored, and so is one that a
 * tombstone covers: an event that was delayed past the removal must not bring the circuit back.
 */
export function upsertCircuit(
  state: DesiredState,
  circuit: Circuit,
  origin: 'created' | 'routes',
): DesiredState {
  if (isOlder(circuit.version, state.circuits.get(circuit.id)?.version)) return state;
  if (isBuried(state, circuit, origin)) return state;
  return {
    ...state,
    circuits: withEntry(state.circuits, circuit.id, circuit),
    tombstones: withoutEntry(state.tombstones, circuit.id),
  };
}

/** Removes a circuit unless a later version of it is held. */
export function removeCircuit(state: DesiredState, circuit: Circuit): DesiredState {
  if (isOlder(circuit.version, state.circuits.get(circuit.id)?.version)) return state;
  return {
    ...state,
    circuits: withoutEntry(state.circuits, circuit.id),
    tombstones: buryCircuit(state.tombstones, circuit.id, circuit.version ?? null),
  };
}

/** Whether a tombstone covers what the event says; a pull then tells for sure. */
export function isBuried(state: DesiredState, circuit: Circuit, origin: 'created' | 'routes'): boolean {
  const tombstone = state.tombstones.get(circuit.id);
  if (tombstone === undefined) return false;
  if (circuit.version != null && tombstone.version !== null) return circuit.version <= tombstone.version;
  // A peer without versions may create again under the id it removed; its route updates may only be late.
  return circuit.version != null || tombstone.version !== null || origin === 'routes';
}

function isOlder(version: number | null | undefined, held: number | null | undefined): boolean {
  return version != null && held != null && version < held;
}
