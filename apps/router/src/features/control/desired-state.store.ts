import type { AppProxyEvent, Circuit } from '@penstock/protocol';
import { buildSnapshot, type KeyRules, type SnapshotBuild, type SnapshotStore } from '../snapshot/index.js';
import { isSatisfied } from './domain/acknowledgement.js';
import { applyEvent } from './domain/apply-event.js';
import { applyPull, type PullAnswer, type PulledConfig } from './domain/apply-pull.js';
import { EMPTY_STATE, isWhole, type DesiredState } from './domain/desired-state.js';
import { sameJson } from './domain/same-json.js';
import { PendingHints, type ReceivedEvent } from './pending-hints.js';
import type { PullScope } from './pull-scope.js';

/** What a pull may not bring although it was asked: `config: 'unchanged'` answers a hint as well as new content does. */
export interface PulledHalves {
  readonly circuits: readonly Circuit[] | null;
  readonly config: PulledConfig | 'unchanged' | null;
}

/** A pull under way. */
export interface PullTicket {
  readonly since: AppProxyEvent[];
  readonly hints: readonly ReceivedEvent[];
}

interface StateObserver {
  /** An event's effect is in the snapshot requests are served from. */
  applied(received: ReceivedEvent): void;
  /** A new snapshot is served. */
  swapped(cause: string, startedMs: number): void;
  /** What came cannot be served; the last good snapshot is. */
  refused(cause: string, reasons: readonly string[]): void;
  /** Parts of what came are not served, although the rest is. */
  warned(warnings: readonly string[]): void;
  /** Only a pull can tell what to do with an event. */
  pullNeeded(scope: PullScope): void;
}

interface Dependencies {
  readonly snapshots: SnapshotStore;
  readonly rules: () => KeyRules;
  readonly observer: StateObserver;
  readonly now: () => number;
}

/**
 * The one place where the desired state changes. Every change is one synchronous call, so events and pulls never
 * interleave: the event loop is the mutex. Only a pull takes time, and what arrives during it is replayed on its
 * answer. A state from which no snapshot can be built is dropped; a removal can always be built, so nothing that is
 * refused ever holds up a revocation.
 */
export class DesiredStateStore {
  private state: DesiredState = EMPTY_STATE;
  /** What is served was built in; the next build takes from it what did not change. */
  private build: SnapshotBuild | null = null;
  private ticket: PullTicket | null = null;
  private readonly hints = new PendingHints();

  constructor(private readonly deps: Dependencies) {}

  get current(): DesiredState {
    return this.state;
  }

  /**
   * Before the first pull a circuit is held but not served, so whoever waits for it has to wait for that. A key is refused
   * then whatever is known of it, so its removal is in effect at once.
   */
  receive(received: ReceivedEvent): void {
    const { event } = received;
    this.ticket?.since.push(event);
    const { state, outcome } = applyEvent(this.state, event);
    const isServed = this.adopt(state, event.name) && (isWhole(this.state) || !isCircuitEvent(event));
    if (isServed && outcome === 'applied') this.deps.observer.applied(received);
    else this.deferToPull(received);
  }

  /** Call right before the first request of a pull is sent; one pull at a time. */
  beginPull(): PullTicket {
    this.ticket = { since: [], hints: this.hints.takeAll() };
    return this.ticket;
  }

  /**
   * Applies what a pull brought, and acknowledges the events that waited for it.
   * @returns false when what it brought cannot be served
   */
  completePull(ticket: PullTicket, halves: PulledHalves): boolean {
    this.ticket = null;
    const config = halves.config === 'unchanged' ? null : halves.config;
    const isConfigServed = this.adoptPull({ circuits: halves.circuits, config }, ticket);
    const isAnswered = (received: ReceivedEvent) =>
      isCircuitEvent(received.event) ? halves.circuits !== null : isConfigServed && halves.config !== null;
    for (const received of ticket.hints) {
      if (!isAnswered(received)) this.hints.add(received);
      else if (isSatisfied(this.state, received.event)) this.deps.observer.applied(received);
    }
    return isConfigServed;
  }

  /** Builds again from the same state, after the rules changed. */
  rebuild(): void {
    if (isWhole(this.state)) this.adopt({ ...this.state }, 'configuration');
  }

  /** A config half that cannot be served must not keep good circuits from being applied. */
  private adoptPull(answer: PullAnswer, ticket: PullTicket): boolean {
    if (answer.circuits === null && answer.config === null) return true;
    if (this.adopt(applyPull(this.state, answer, ticket.since), 'pull')) return true;
    this.adopt(applyPull(this.state, { ...answer, config: null }, ticket.since), 'pull');
    return false;
  }

  /** @returns false when the state was refused and the old one kept */
  private adopt(next: DesiredState, cause: string): boolean {
    if (next === this.state) return true;
    const startedMs = this.deps.now();
    if (isWhole(next)) {
      const built = buildSnapshot({ ...next, revision: next.servedRevision }, this.deps.rules(), this.build);
      if (built.kind === 'refused') {
        this.deps.observer.refused(cause, built.reasons);
        return false;
      }
      this.warn(built);
      this.build = built;
      this.deps.snapshots.swap(built.snapshot);
    }
    this.state = next;
    if (isWhole(next)) this.deps.observer.swapped(cause, startedMs);
    return true;
  }

  /** Once per change of what there is to warn of. */
  private warn({ models: { warnings } }: SnapshotBuild): void {
    const before = this.build?.models.warnings ?? [];
    if (warnings.length > 0 && !sameJson(before, warnings)) this.deps.observer.warned(warnings);
  }

  private deferToPull(received: ReceivedEvent): void {
    this.hints.add(received);
    this.deps.observer.pullNeeded(isCircuitEvent(received.event) ? 'all' : 'config');
  }
}

function isCircuitEvent(event: AppProxyEvent): boolean {
  return 'circuits' in event || 'circuit' in event;
}
