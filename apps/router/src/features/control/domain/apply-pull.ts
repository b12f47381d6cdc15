import type { AppProxyEvent, Circuit, ModelApiKey, Publication } from '@penstock/protocol';
import type { ShardedMap } from '../../../sharded-map.js';
import { applyEvent } from './apply-event.js';
import type { DesiredState } from './desired-state.js';
import { sameJson } from './same-json.js';
import { buryCircuits } from './tombstones.js';

/** Publications and keys as pulled, complete. Those equal to held ones are the held ones, so that they cost nothing. */
export interface PulledConfig {
  readonly revision: string;
  readonly publications: ReadonlyMap<string, Publication>;
  readonly keys: ShardedMap<ModelApiKey>;
}

/** What one pull brought. Each half is complete or missing; a missing one leaves its part of the state as it is. */
export interface PullAnswer {
  /** Null when they were not asked for or could not be had. */
  readonly circuits: readonly Circuit[] | null;
  /** Null when unchanged, not asked for, or not to be had. */
  readonly config: PulledConfig | null;
}

/**
 * Replaces the state by what a pull brought and applies on top every event received since the pull started: the
 * answer may have been read before any of them was committed, and its revision does not tell, because another change
 * may have raised it in between. Without the replay a revoked key would come back until the next pull.
 *
 * @param since - events of our authority received after the pull started, in order
 */
export function applyPull(
  state: DesiredState,
  answer: PullAnswer,
  since: readonly AppProxyEvent[],
): DesiredState {
  const withCircuits = answer.circuits === null ? state : replaceCircuits(state, answer.circuits);
  const pulled = answer.config === null ? withCircuits : replaceConfig(withCircuits, answer.config);
  return since.reduce((current, event) => applyEvent(current, event).state, pulled);
}

/** Equal circuits keep their identity, so that a pull which brings nothing new changes nothing. */
function replaceCircuits(state: DesiredState, circuits: readonly Circuit[]): DesiredState {
  const listed = new Map(circuits.map((circuit) => [circuit.id, known(state, circuit)]));
  const gone = [...state.circuits.keys()].filter((id) => !listed.has(id));
  const isSame =
    gone.length === 0 && [...listed].every(([id, circuit]) => state.circuits.get(id) === circuit);
  if (state.circuitsPulled && isSame) return state;
  const kept = new Map([...state.tombstones].filter(([id]) => !listed.has(id)));
  return {
    ...state,
    circuitsPulled: true,
    circuits: listed,
    tombstones: buryCircuits(
      kept,
      gone.map((id) => [id, null]),
    ),
  };
}

function known(state: DesiredState, circuit: Circuit): Circuit {
  const held = state.circuits.get(circuit.id);
  return held !== undefined && sameJson(held, circuit) ? held : circuit;
}

function replaceConfig(state: DesiredState, { revision, publications, keys }: PulledConfig): DesiredState {
  return { ...state, revision, servedRevision: revision, publications, keys, eventRevisions: new Map() };
}
