import {
  EVENT_NAMES,
  WireError,
  type AppProxyEvent,
  type Circuit,
  type CircuitPropagation,
} from '@penstock/protocol';
import type { Logger } from '@penstock/observability';

import type { AssessLivenessService } from '../liveness/index.js';
import type { AckJournal } from './ack-journal.port.js';
import type { AckRegistry } from './ack-registry.js';
import type { Publisher } from './announce-change.service.js';
import {
  allHeld,
  heldVersions,
  judgeCircuit,
  judgeRemoval,
  toCreation,
  toVersion,
  UNCHANGED,
  type CircuitAck,
} from './domain/circuit-outcome.js';
import { pullsForEver, type HostedCircuit, type HostWorker } from './host-worker.js';
import { RouteUpdates } from './route-updates.js';

export interface AnnounceOptions {
  /** The caller wants to know what became of the announcement, and may be made to wait for that. */
  readonly report: boolean;
  readonly traceparent?: string | undefined;
}

type Outcomes = ReadonlyMap<string, CircuitPropagation>;

/** Keeps a bulk call of thousands below what subscribers' buffers hold. */
const CIRCUITS_PER_EVENT = 100;

/** A stock worker that cannot set up one circuit of an event acknowledges none of them. */
const CIRCUITS_PER_STOCK_EVENT = 1;

/** A router of another make never acknowledges route updates; nobody should wait for it as long as for a change. */
const ROUTES_ACK_TIMEOUT_MS = 2_000;

/**
 * Tells workers about circuits. A router pulls its circuits again and again, so for it a lost event or ack costs delay
 * and is never an error of the call. Any other worker pulls only when it starts: for those an announcement that nobody
 * acknowledged is the caller's to repeat.
 */
export class CircuitAnnouncer {
  constructor(
    private readonly publisher: Publisher,
    private readonly acks: AckRegistry<CircuitAck>,
    private readonly liveness: AssessLivenessService,
    private readonly journal: AckJournal,
    private readonly logger: Logger,
    private readonly ackTimeoutMs: number,
  ) {}

  /**
   * All of them at once, whatever becomes of one. Waits until some node acknowledged each circuit, at most the ack
   * timeout, and not at all where nobody is alive.
   * @returns what became of each circuit, by its id
   * @throws WireError 503 E10001 when a worker that is no router did not acknowledge; the circuits stay
   */
  async created(hosted: readonly HostedCircuit[], traceparent?: string): Promise<Outcomes> {
    const outcomes = await this.announce(hosted, traceparent);
    const silent = hosted.find((one) => isUnheard(one, outcomes));
    if (silent) throw WireError.workerNotResponding(silent.worker.authority);
    return outcomes;
  }

  /**
   * The same for circuits that were there before.
   * @returns the ids of those that a worker which is no router did not acknowledge
   */
  async announcedAnew(
    circuits: readonly HostedCircuit[],
    traceparent?: string,
  ): Promise<ReadonlySet<string>> {
    const hosted = circuits.map((one) => ({ ...one, known: true }));
    const outcomes = await this.announce(hosted, traceparent);
    return new Set(hosted.filter((one) => isUnheard(one, outcomes)).map(({ circuit }) => circuit.id));
  }

  private async announce(hosted: readonly HostedCircuit[], traceparent?: string): Promise<Outcomes> {
    const announcements = byWorker(hosted).map((ofOne) => this.announceTo(ofOne, traceparent));
    const outcomes = new Map((await Promise.all(announcements)).flatMap((one) => [...one]));
    const applied = hosted.filter(({ circuit }) => outcomes.get(circuit.id)?.status === 'applied');
    await this.journal.acknowledged(applied.map(({ circuit }) => toVersion(circuit)));
    return outcomes;
  }

  private async announceTo(
    { worker, circuits, allKnown }: HostedTogether,
    traceparent: string | undefined,
  ): Promise<Outcomes> {
    const { authority } = worker;
    const { nodes, reachable } = await this.liveness.assess(worker);
    // What is new was just placed there: a node that is only late with its heartbeat may answer all the same.
    const liveNodes = allKnown ? reachable : nodes;
    // A stock node echoes no version, so a circuit announced again is known by its id.
    const wanted = circuits.map(pullsForEver(worker) ? toVersion : toCreation);
    const collector = this.acks.arm(mentions(new Set(wanted.map(({ id }) => id))));
    const startedAt = performance.now();
    try {
      const published =
        (await this.publishInParts(worker, circuits, traceparent)) && this.publisher.connected;
      const awaited = published && liveNodes > 0;
      if (awaited && !(await collector.until(allHeld(wanted, collector.acks), this.ackTimeoutMs))) {
        this.logger.warn({ authority, circuits: wanted.length }, 'circuits not acknowledged in time');
      }
      const waitedMs = awaited ? performance.now() - startedAt : 0;
      const evidence = { held: heldVersions(collector.acks), published, liveNodes, waitedMs };
      return new Map(wanted.map((circuit) => [circuit.id, judgeCircuit(circuit, evidence)]));
    } finally {
      collector.close();
    }
  }

  /** The route updates of one call: `work` makes and announces them, then each outcome gets its report if asked for. */
  async routesUpdated<O extends { readonly deployment_id: string }>(
    { report, traceparent }: AnnounceOptions,
    work: (updates: RouteUpdates) => Promise<O[]>,
  ): Promise<(O & { propagation?: CircuitPropagation })[]> {
    const announced = new Set<string>();
    const collector = report ? this.acks.arm(mentions(announced)) : null;
    const { publisher, liveness } = this;
    const timeoutMs = Math.min(ROUTES_ACK_TIMEOUT_MS, this.ackTimeoutMs);
    const updates = new RouteUpdates(
      { publisher, liveness, timeoutMs },
      { announced, collector, traceparent },
    );
    try {
      const outcomes = await work(updates);
      return await updates.reportOn(outcomes);
    } finally {
      collector?.close();
    }
  }

  /**
   * Fire and forget. Each circuit carries a version above every one it ever had.
   * @returns what became of all of them, undefined unless asked for
   */
  async removed(
    removed: readonly HostedCircuit[],
    { report, traceparent }: AnnounceOptions,
  ): Promise<CircuitPropagation | undefined> {
    const [first] = removed;
    if (first === undefined) return report ? UNCHANGED : undefined;
    const liveNodes = report ? (await this.liveness.assess(first.worker)).reachable : 0;
    let published = true;
    for (const { worker, circuit } of removed) {
      const { authority } = worker;
      const event = { name: EVENT_NAMES.circuitRemoved, authority, circuits: [circuit] };
      if (!(await this.publisher.publish(event, { traceparent }))) published = false;
    }
    return report ? judgeRemoval({ published, liveNodes }) : undefined;
  }

  /** False as soon as one part is not taken: the rest would not be either. */
  private async publishInParts(
    worker: HostWorker,
    circuits: readonly Circuit[],
    traceparent: string | undefined,
  ): Promise<boolean> {
    const { authority } = worker;
    const size = pullsForEver(worker) ? CIRCUITS_PER_EVENT : CIRCUITS_PER_STOCK_EVENT;
    for (let start = 0; start < circuits.length; start += size) {
      const part = circuits.slice(start, start + size);
      const event: AppProxyEvent = { name: EVENT_NAMES.circuitCreated, authority, circuits: part };
      if (!(await this.publisher.publish(event, { traceparent }))) return false;
    }
    return true;
  }
}

function mentions(ids: ReadonlySet<string>): (ack: CircuitAck) => boolean {
  return (ack) => ack.circuits.some(({ id }) => ids.has(id));
}

/** One that was there before on a lost worker does not count: it would fail every call that names it. */
function isUnheard({ known = false, worker, circuit }: HostedCircuit, outcomes: Outcomes): boolean {
  const outcome = outcomes.get(circuit.id);
  if (pullsForEver(worker) || outcome?.status === 'applied') return false;
  return !(known && outcome?.reason === 'no_live_node');
}

interface HostedTogether {
  readonly worker: HostWorker;
  readonly circuits: readonly Circuit[];
  /** None of them is new. */
  readonly allKnown: boolean;
}

function byWorker(hosted: readonly HostedCircuit[]): HostedTogether[] {
  const groups = Map.groupBy(hosted, ({ worker }) => worker.id);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const circuits = group.map(({ circuit }) => circuit);
    const allKnown = group.every(({ known }) => known === true);
    return first ? [{ worker: first.worker, circuits, allKnown }] : [];
  });
}
