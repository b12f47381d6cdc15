import type { Circuit } from '@penstock/protocol';
import { heldCircuit } from './held-circuit.js';
import { withEntries, withoutEntries, type DesiredState } from './desired-state.js';
import { sameJson } from './same-json.js';
import { buryCircuits } from './tombstones.js';

/**
 * Takes over circuits an event carries whole. An older version than the one held is ignored, and so is one that a
 * tombstone covers: an event that was delayed past the removal must not bring the circuit back.
 */
export function upsertCircuits(
  state: DesiredState,
  circuits: readonly Circuit[],
  origin: 'created' | 'routes',
): DesiredState {
  const accepted = new Map<string, Circuit>();
  for (const circuit of circuits.map(heldCircuit)) {
    const held = accepted.get(circuit.id) ?? state.circuits.get(circuit.id);
    if (isOlder(circuit.version, held?.version)) continue;
    if (!accepted.has(circuit.id) && isBuried(state, circuit, origin)) continue;
    accepted.set(circuit.id, held !== undefined && sameJson(held, circuit) ? held : circuit);
  }
  return changed(state, {
    circuits: withEntries(state.circuits, accepted),
    tombstones: withoutEntries(state.tombstones, accepted.keys()),
  });
}

/** Removes circuits, but none of which a later version is held. */
export function removeCircuits(state: DesiredState, circuits: readonly Circuit[]): DesiredState {
  const gone = circuits.filter(
    (circuit) => !isOlder(circuit.version, state.circuits.get(circuit.id)?.version),
  );
  if (gone.length === 0) return state;
  return changed(state, {
    circuits: withoutEntries(
      state.circuits,
      gone.map(({ id }) => id),
    ),
    tombstones: buryCircuits(
      state.tombstones,
      gone.map(({ id, version }) => [id, version ?? null]),
    ),
  });
}

/** Whether a tombstone covers what the event says; a pull then tells for sure. */
export function isBuried(state: DesiredState, circuit: Circuit, origin: 'created' | 'routes'): boolean {
  const tombstone = state.tombstones.get(circuit.id);
  if (tombstone === undefined) return false;
  if (circuit.version != null && tombstone.version !== null) return circuit.version <= tombstone.version;
  // A peer without versions may create again under the id it removed; its route updates may only be late.
  return circuit.version != null || tombstone.version !== null || origin === 'routes';
}

function changed(
  state: DesiredState,
  { circuits, tombstones }: Pick<DesiredState, 'circuits' | 'tombstones'>,
): DesiredState {
  const isSame = circuits === state.circuits && tombstones === state.tombstones;
  return isSame ? state : { ...state, circuits, tombstones };
}

function isOlder(version: number | null | undefined, held: number | null | undefined): boolean {
  return version != null && held != null && version < held;
}
