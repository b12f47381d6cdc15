import { EVENT_NAMES, type AppProxyEvent, type Circuit, type CircuitPropagation } from '@penstock/protocol';
import type { Logger } from '@penstock/observability';

import type { AssessLivenessService, LivenessSubject } from '../liveness/index.js';
import type { AckRegistry } from './ack-registry.js';
import type { Publisher } from './announce-change.service.js';
import {
  allHeld,
  heldVersions,
  judgeCircuit,
  judgeRemoval,
  toVersion,
  UNCHANGED,
  type CircuitAck,
} from './domain/circuit-outcome.js';
import { RouteUpdates } from './route-updates.js';

export interface AnnounceOptions {
  /** The caller wants to know what became of the announcement, and may be made to wait for that. */
  readonly report: boolean;
  readonly traceparent?: string | undefined;
}

/** A circuit and whose it is. */
export interface HostedCircuit {
  readonly worker: LivenessSubject;
  readonly circuit: Circuit;
}

/** Keeps a bulk call of thousands below what subscribers' buffers hold. */
const CIRCUITS_PER_EVENT = 100;

/** A router of another make never acknowledges route updates; nobody should wait for it as long as for a change. */
const ROUTES_ACK_TIMEOUT_MS = 2_000;

/**
 * Tells routers about circuits. Unlike a stock worker a router pulls its circuits again and again, so a lost event or
 * ack costs delay and is never an error of the call.
 */
export class CircuitAnnouncer {
  constructor(
    private readonly publisher: Publisher,
    private readonly acks: AckRegistry<CircuitAck>,
    private readonly liveness: AssessLivenessService,
    private readonly logger: Logger,
    private readonly ackTimeoutMs: number,
  ) {}

  /**
   * Waits until some node acknowledged each circuit, at most the ack timeout, and not at all when nobody is alive.
   * @returns what became of each circuit, by its id
   */
  async created(
    worker: LivenessSubject,
    circuits: readonly Circuit[],
    traceparent?: string,
  ): Promise<ReadonlyMap<string, CircuitPropagation>> {
    const { authority } = worker;
    const { nodes: liveNodes } = await this.liveness.assess(worker);
    const wanted = circuits.map(toVersion);
    const collector = this.acks.arm(mentions(new Set(wanted.map(({ id }) => id))));
    const startedAt = performance.now();
    try {
      const published =
        (await this.publishInParts(authority, circuits, traceparent)) && this.publisher.connected;
      const awaited = published && liveNodes > 0;
      if (awaited && !(await collector.until(() => allHeld(wanted, collector.acks), this.ackTimeoutMs))) {
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
    const liveNodes = report ? (await this.liveness.assess(first.worker)).nodes : 0;
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
    authority: string,
    circuits: readonly Circuit[],
    traceparent: string | undefined,
  ): Promise<boolean> {
    for (let start = 0; start < circuits.length; start += CIRCUITS_PER_EVENT) {
      const part = circuits.slice(start, start + CIRCUITS_PER_EVENT);
      const event: AppProxyEvent = { name: EVENT_NAMES.circuitCreated, authority, circuits: part };
      if (!(await this.publisher.publish(event, { traceparent }))) return false;
    }
    return true;
  }
}

function mentions(ids: ReadonlySet<string>): (ack: CircuitAck) => boolean {
  return (ack) => ack.circuits.some(({ id }) => ids.has(id));
}
