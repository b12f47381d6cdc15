import { EVENT_NAMES, type Circuit, type CircuitPropagation } from '@penstock/protocol';

import type { AssessLivenessService } from '../liveness/index.js';
import type { AckCollector } from './ack-registry.js';
import type { Publisher } from './announce-change.service.js';
import {
  allHeld,
  heldVersions,
  judgeCircuit,
  toVersion,
  UNCHANGED,
  type CircuitAck,
} from './domain/circuit-outcome.js';
import type { HostWorker } from './host-worker.js';

export interface RouteUpdate {
  readonly worker: HostWorker;
  readonly circuit: Circuit;
  /** False when the call changed nothing and its announcement only repeats what is known. */
  readonly changed: boolean;
}

interface Bearers {
  readonly publisher: Publisher;
  readonly liveness: AssessLivenessService;
  readonly timeoutMs: number;
}

interface Call {
  /** Ids the collector looks for. */
  readonly announced: Set<string>;
  /** Null when the caller asked for no report. */
  readonly collector: AckCollector<CircuitAck> | null;
  readonly traceparent: string | undefined;
}

interface Told {
  readonly circuit: Circuit;
  readonly changed: boolean;
  readonly published: boolean;
  readonly liveNodes: number;
}

/**
 * Announces the route updates of one call, one after the other, and waits for all of them at once in the end. On the
 * wire they are fire and forget; only our own routers acknowledge them.
 */
export class RouteUpdates {
  /** The last word per deployment. */
  private readonly told = new Map<string, Told>();
  private readonly liveNodes = new Map<string, Promise<number>>();

  constructor(
    private readonly bearers: Bearers,
    private readonly call: Call,
  ) {}

  /** @returns whether the bus took it */
  async announce({ worker, circuit, changed }: RouteUpdate): Promise<boolean> {
    const { announced, collector, traceparent } = this.call;
    const { publisher } = this.bearers;
    const liveNodes = collector === null ? 0 : await this.liveNodesOf(worker);
    announced.add(circuit.id);
    const { authority } = worker;
    const event = { name: EVENT_NAMES.circuitRouteUpdated, authority, circuit, routes: circuit.route_info };
    const taken = await publisher.publish(event, { traceparent });
    const published = taken && publisher.connected;
    this.note(circuit.endpoint_id ?? circuit.id, { circuit, changed, published, liveNodes });
    return taken;
  }

  /** Adds to each outcome what became of its announcement; outcomes that announced nothing stay as they are. */
  async reportOn<O extends { readonly deployment_id: string }>(
    outcomes: readonly O[],
  ): Promise<(O & { propagation?: CircuitPropagation })[]> {
    const { collector } = this.call;
    if (collector === null) return [...outcomes];
    const startedAt = performance.now();
    await collector.until(allHeld(this.awaited(), collector.acks), this.bearers.timeoutMs);
    const waitedMs = performance.now() - startedAt;
    const held = heldVersions(collector.acks);
    return outcomes.map((outcome) => {
      const told = this.told.get(outcome.deployment_id);
      return told ? { ...outcome, propagation: judge(told, held, waitedMs) } : outcome;
    });
  }

  /** Named twice in one call, a deployment changed when either did it. */
  private note(deploymentId: string, told: Told): void {
    const changed = told.changed || (this.told.get(deploymentId)?.changed ?? false);
    this.told.set(deploymentId, { ...told, changed });
  }

  /** Nobody acknowledges what nobody heard, and nobody needs to wait for what was like that before. */
  private awaited() {
    return [...this.told.values()].filter(isAwaited).map(({ circuit }) => toVersion(circuit));
  }

  private liveNodesOf(worker: HostWorker): Promise<number> {
    const known = this.liveNodes.get(worker.id);
    if (known) return known;
    const asked = this.bearers.liveness.assess(worker).then(({ reachable }) => reachable);
    this.liveNodes.set(worker.id, asked);
    return asked;
  }
}

function isAwaited({ changed, published, liveNodes }: Told): boolean {
  return changed && published && liveNodes > 0;
}

function judge(told: Told, held: ReadonlyMap<string, number>, waitedMs: number): CircuitPropagation {
  if (!told.changed) return UNCHANGED;
  const { circuit, published, liveNodes } = told;
  const evidence = { held, published, liveNodes, waitedMs: isAwaited(told) ? waitedMs : 0 };
  return judgeCircuit(toVersion(circuit), evidence);
}
