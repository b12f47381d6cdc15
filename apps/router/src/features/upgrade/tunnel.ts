import type { Duplex } from 'node:stream';
import type { ReplicaVisit } from '../proxy/index.js';
import type { Outcome } from '../usage/index.js';
import { Splice, type SpliceEnd } from './adapters/splice.js';
import type { UpgradeDeps, UpgradeJob } from './upgrade.port.js';

/** What each side sent before the two were joined. */
interface Early {
  readonly fromClient: Buffer;
  readonly fromReplica: Buffer;
}

const SWITCHING_PROTOCOLS = 101;
/** How often a circuit whose connection carries something is said to be in use. */
const IN_USE_EVERY_MS = 1_500;

/** What each end means: result of the attempt, and outcome of the request. */
const ENDS: Record<SpliceEnd, { readonly result: string } & Omit<Outcome, 'status'>> = {
  ended: { result: 'ok', kind: 'completed', errorCode: null, fault: null },
  client_lost: {
    result: 'client_closed',
    kind: 'client_closed',
    errorCode: 'client_closed_request',
    fault: 'client',
  },
  replica_lost: { result: 'reset', kind: 'cut', errorCode: 'upstream_error', fault: 'upstream' },
  // Nobody's failure: a connection that is not used is not kept.
  silent: { result: 'idle_timeout', kind: 'cut', errorCode: 'upstream_timeout', fault: null },
  cut: { result: 'interrupted_shutdown', kind: 'cut', errorCode: 'draining', fault: 'platform' },
};

/** A client and a replica that speak another protocol with each other, from their joining to their end. */
export class Tunnel {
  private splice: Splice | null = null;
  private saidInUseMs = -Infinity;

  constructor(
    private readonly deps: UpgradeDeps,
    private readonly job: UpgradeJob,
    private readonly visit: ReplicaVisit,
  ) {}

  open(replica: Duplex, { fromClient, fromReplica }: Early): void {
    const { timers, timeouts } = this.deps;
    const { socket } = this.job.client;
    this.splice = new Splice(socket, replica, {
      timers,
      idleMs: timeouts.idleMs,
      onBytes: (from, bytes) => this.count(from, bytes),
      onEnd: (end) => this.ended(end),
    });
    this.forward('client', fromClient, replica);
    this.forward('replica', fromReplica, socket);
    this.splice.start();
  }

  /** The process ends; what is spoken here cannot be told. */
  shutDown(): void {
    this.splice?.cut();
  }

  private forward(from: 'client' | 'replica', bytes: Buffer, to: Duplex): void {
    if (bytes.length === 0) return;
    this.count(from, bytes.length);
    to.write(bytes);
  }

  private count(from: 'client' | 'replica', bytes: number): void {
    const { record } = this.job;
    const nowMs = this.deps.timers.now();
    this.sayInUse(nowMs);
    if (from === 'client') {
      record.bodyBytes += bytes;
      return;
    }
    record.firstByteMs ??= nowMs - record.startedMs;
    record.answerBytes += bytes;
  }

  private sayInUse(nowMs: number): void {
    if (nowMs < this.saidInUseMs + IN_USE_EVERY_MS) return;
    this.saidInUseMs = nowMs;
    this.deps.statistics.inUse(this.visit.target.endpoint.target.circuitId);
  }

  private ended(end: SpliceEnd): void {
    const { result, ...outcome } = ENDS[end];
    this.visit.settle(result, 'neutral');
    this.job.ended({ ...outcome, status: SWITCHING_PROTOCOLS });
  }
}
