import type { Metrics } from '@penstock/observability';
import type { AppProxyEvent } from '@penstock/protocol';
import type { DesiredState } from './domain/desired-state.js';

/** What the control side counts. */
export class ControlMetrics {
  private readonly events;
  private readonly acks;
  private readonly pulls;
  private readonly refusals;
  private readonly applySeconds;
  private readonly revision;
  private readonly entities;

  constructor(metrics: Metrics) {
    this.events = metrics.counter({
      name: 'penstock_router_events_total',
      help: 'Events of our authority received from the bus.',
      labelNames: ['event'],
    });
    this.acks = metrics.counter({
      name: 'penstock_router_acknowledgements_total',
      help: 'Acknowledgements of applied changes, by whether the bus took them.',
      labelNames: ['outcome'],
    });
    this.pulls = metrics.histogram({
      name: 'penstock_router_pull_seconds',
      help: 'Duration of pulls from the coordinator, by outcome.',
      labelNames: ['outcome'],
    });
    this.refusals = metrics.counter({
      name: 'penstock_router_snapshots_refused_total',
      help: 'Desired states that could not be served; the last good snapshot was kept.',
    });
    this.applySeconds = metrics.histogram({
      name: 'penstock_router_snapshot_apply_seconds',
      help: 'Time from a change of the desired state to the snapshot being served.',
    });
    this.revision = metrics.gauge({
      name: 'penstock_router_revision',
      help: 'Revision of the last router-config applied, when it is a number.',
    });
    this.entities = metrics.gauge({
      name: 'penstock_router_entities',
      help: 'Entities in the desired state, by kind.',
      labelNames: ['kind'],
    });
  }

  received(event: AppProxyEvent['name']): void {
    this.events.inc({ event });
  }

  acknowledged(outcome: 'sent' | 'lost'): void {
    this.acks.inc({ outcome });
  }

  pulled(outcome: 'ok' | 'refused' | 'failed', seconds: number): void {
    this.pulls.observe({ outcome }, seconds);
  }

  refused(): void {
    this.refusals.inc();
  }

  swapped(state: DesiredState, seconds: number): void {
    this.applySeconds.observe(seconds);
    const revision = Number(state.servedRevision);
    if (Number.isFinite(revision)) this.revision.set(revision);
    this.entities.set({ kind: 'circuit' }, state.circuits.size);
    this.entities.set({ kind: 'publication' }, state.publications.size);
    this.entities.set({ kind: 'key' }, state.keys.size);
  }
}
