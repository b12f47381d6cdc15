import type { AppProxyEvent, Circuit, Publication, RouteInfo } from '@penstock/protocol';
import { isBuried, removeCircuits, upsertCircuits } from './apply-circuit-event.js';
import { compareRevisions, isContainedIn, isNextRevision } from './compare-revisions.js';
import { withEntry, withoutEntries, withoutKey, type DesiredState } from './desired-state.js';
import { sameJson } from './same-json.js';

/**
 * `applied`: the state now holds what the event says, or something newer.
 * `needs-pull`: the event is only a hint, or contradicts what is known; a pull that starts after it decides.
 */
export interface EventEffect {
  readonly state: DesiredState;
  readonly outcome: 'applied' | 'needs-pull';
}

/** Applies one event of our authority. Pure, and harmless when repeated or out of order. */
export function applyEvent(state: DesiredState, event: AppProxyEvent): EventEffect {
  const effect = effectOf(state, event);
  return effect.outcome === 'applied' ? { ...effect, state: advance(effect.state, event) } : effect;
}

/** Every change raises the revision by one, so the state amounts to the next one once its event is applied. */
function advance(state: DesiredState, event: AppProxyEvent): DesiredState {
  const revision = 'revision' in event ? event.revision : null;
  return isNextRevision(state.servedRevision, revision) ? { ...state, servedRevision: revision } : state;
}

function effectOf(state: DesiredState, event: AppProxyEvent): EventEffect {
  switch (event.name) {
    case 'appproxy_circuit_created_event':
      return applyCreated(state, event.circuits);
    case 'appproxy_circuit_route_updated_event':
      return applyRoutes(state, event.circuit, event.routes);
    case 'appproxy_circuit_removed_event':
      return applied(removeCircuits(state, event.circuits));
    case 'appproxy_router_model_updated_event':
      return applyModel(state, event.model.model, event.revision, (models) =>
        withPublication(models, event.model),
      );
    case 'appproxy_router_model_removed_event':
      return applyModel(state, event.model_name, event.revision, (models) =>
        withoutEntries(models, [event.model_name]),
      );
    case 'appproxy_router_key_updated_event':
      // The hash never travels on the bus, so the event says only that a pull is due.
      return { state, outcome: isContainedIn(event.revision, state.revision) ? 'applied' : 'needs-pull' };
    case 'appproxy_router_key_removed_event':
      return applyKeyRemoval(state, event.key_id, event.revision);
    case 'appproxy_worker_circuit_added_event':
    case 'appproxy_worker_router_config_applied_event':
      return applied(state);
  }
}

function applied(state: DesiredState): EventEffect {
  return { state, outcome: 'applied' };
}

function applyCreated(state: DesiredState, circuits: readonly Circuit[]): EventEffect {
  const buried = circuits.some((circuit) => isBuried(state, circuit, 'created'));
  return {
    state: upsertCircuits(state, circuits, 'created'),
    outcome: buried ? 'needs-pull' : 'applied',
  };
}

/** The routes of the event count, not those inside its circuit; an unknown circuit is taken over whole. */
function applyRoutes(state: DesiredState, circuit: Circuit, routes: readonly RouteInfo[]): EventEffect {
  const current = { ...circuit, route_info: [...routes] };
  const buried = isBuried(state, current, 'routes');
  return { state: upsertCircuits(state, [current], 'routes'), outcome: buried ? 'needs-pull' : 'applied' };
}

/** An equal publication changes nothing, not even an identity. */
function withPublication(
  models: DesiredState['publications'],
  model: Publication,
): DesiredState['publications'] {
  return sameJson(models.get(model.model), model) ? models : withEntry(models, model.model, model);
}

function applyModel(
  state: DesiredState,
  model: string,
  revision: string | null | undefined,
  change: (models: DesiredState['publications']) => DesiredState['publications'],
): EventEffect {
  const newest = state.eventRevisions.get(model);
  const isStale = (compareRevisions(revision, newest) ?? 0) < 0;
  if (isStale || isContainedIn(revision, state.revision)) return applied(state);
  return applied({
    ...state,
    publications: change(state.publications),
    eventRevisions:
      revision == null ? state.eventRevisions : withEntry(state.eventRevisions, model, revision),
  });
}

/**
 * A removal at or before the pulled revision has been applied already, unless the key is there all the same: it was
 * issued again since, or the coordinator went back in time. Acknowledging then would be a false proof.
 */
function applyKeyRemoval(
  state: DesiredState,
  keyId: string,
  revision: string | null | undefined,
): EventEffect {
  if (!isContainedIn(revision, state.revision)) return applied(withoutKey(state, keyId));
  return { state, outcome: state.keys.has(keyId) ? 'needs-pull' : 'applied' };
}
