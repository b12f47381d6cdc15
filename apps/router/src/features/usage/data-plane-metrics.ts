import type { Metrics } from '@penstock/observability';
import type { Outcome, RequestRecord } from './request-record.js';

/** Answers may take milliseconds or minutes. */
const DURATION_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

interface LoadView {
  readonly inFlight: number;
  readonly bufferedBytes: number;
}

/**
 * Metrics of the data plane. Label values come from fixed lists (routes of the route table, status classes, faults), so
 * no caller can make series. Counts are kept in plain maps and handed to the registry when it is read.
 */
export class DataPlaneMetrics {
  private readonly requests = new Map<string, number>();
  private readonly attempts = new Map<string, number>();
  private promptTokens = 0;
  private completionTokens = 0;
  private readonly duration;
  private readonly firstByte;

  constructor(metrics: Metrics, load: LoadView) {
    const { requests, attempts } = this;
    metrics.counter({
      name: 'penstock_router_requests_total',
      help: 'Requests that ended, by route, class of the status sent, and whose doing a failure was.',
      labelNames: ['route', 'status', 'fault'],
      collect() {
        this.reset();
        for (const [key, count] of requests) {
          const [route = '', status = '', fault = ''] = key.split(' ');
          this.inc({ route, status, fault }, count);
        }
      },
    });
    metrics.counter({
      name: 'penstock_router_attempts_total',
      help: 'Attempts at replicas, by result.',
      labelNames: ['result'],
      collect() {
        this.reset();
        for (const [result, count] of attempts) this.inc({ result }, count);
      },
    });
    this.duration = metrics.histogram({
      name: 'penstock_router_request_duration_seconds',
      help: 'From the head of a request to the end of its answer.',
      labelNames: ['route'],
      buckets: DURATION_BUCKETS,
    });
    this.firstByte = metrics.histogram({
      name: 'penstock_router_first_byte_seconds',
      help: 'From the head of a request to the first byte of the body of its answer.',
      labelNames: ['route'],
      buckets: DURATION_BUCKETS,
    });
    this.gauges(metrics, load);
  }

  observe(record: RequestRecord, outcome: Outcome, durationMs: number): void {
    const { route } = record;
    count(this.requests, `${route} ${statusClass(outcome)} ${outcome.fault ?? 'none'}`);
    for (const attempt of record.attempts) count(this.attempts, attempt.result ?? 'abandoned');
    this.duration.observe({ route }, durationMs / 1_000);
    if (record.firstByteMs !== null) this.firstByte.observe({ route }, record.firstByteMs / 1_000);
    this.promptTokens += record.usage?.promptTokens ?? 0;
    this.completionTokens += record.usage?.completionTokens ?? 0;
  }

  private gauges(metrics: Metrics, load: LoadView): void {
    metrics.gauge({
      name: 'penstock_router_requests_in_flight',
      help: 'Requests accepted and not yet ended.',
      collect() {
        this.set(load.inFlight);
      },
    });
    metrics.gauge({
      name: 'penstock_router_buffered_bytes',
      help: 'Bytes of request bodies held for replay.',
      collect() {
        this.set(load.bufferedBytes);
      },
    });
    const tokens = () => ({ prompt: this.promptTokens, completion: this.completionTokens });
    metrics.counter({
      name: 'penstock_router_tokens_total',
      help: 'Tokens replicas reported, by kind.',
      labelNames: ['kind'],
      collect() {
        this.reset();
        for (const [kind, value] of Object.entries(tokens())) this.inc({ kind }, value);
      },
    });
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** `2xx` ... `5xx`, or `none` when the client left before any status went out. */
function statusClass(outcome: Outcome): string {
  return outcome.status === null ? 'none' : `${Math.floor(outcome.status / 100)}xx`;
}
