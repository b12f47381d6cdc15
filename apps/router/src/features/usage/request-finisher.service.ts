import { wideEvent, type Logger } from '@penstock/observability';
import type { DataPlaneMetrics } from './data-plane-metrics.js';
import type { Outcome, RequestRecord } from './request-record.js';

/** Hears of every ended request. Must not throw and must not block. */
export type FinishListener = (record: RequestRecord, outcome: Outcome, durationMs: number) => void;

interface RequestFinisherOptions {
  readonly metrics: DataPlaneMetrics;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly listeners?: readonly FinishListener[];
}

/** Ends requests: each exactly once, whoever notices the end first. Whatever settles with a request hangs on this. */
export class RequestFinisher {
  constructor(private readonly options: RequestFinisherOptions) {}

  /** @returns false when the request had ended already, in which case nothing happens */
  finish(record: RequestRecord, outcome: Outcome): boolean {
    if (record.outcome !== null) return false;
    record.outcome = outcome;
    if (outcome.kind === 'completed') record.phase = 'done';
    const durationMs = this.options.now() - record.startedMs;
    this.options.metrics.observe(record, outcome, durationMs);
    wideEvent(this.options.logger, 'request', requestFields(record, outcome, durationMs), levelOf(outcome));
    for (const listener of this.options.listeners ?? []) listener(record, outcome, durationMs);
    return true;
  }
}

/** Failures of ours and of replicas are worth a look; those of clients are their own business. */
function levelOf(outcome: Outcome): 'info' | 'warn' | 'error' {
  if (outcome.fault === null || outcome.fault === 'client') return 'info';
  return outcome.errorCode === 'internal_error' ? 'error' : 'warn';
}

function requestFields(record: RequestRecord, outcome: Outcome, durationMs: number) {
  const last = record.attempts.at(-1);
  return {
    request_id: record.id,
    client_request_id: record.clientRequestId ?? undefined,
    mode: record.mode,
    method: record.method,
    route: record.route,
    status: outcome.status,
    outcome: outcome.kind,
    phase: outcome.kind === 'completed' ? undefined : record.phase,
    'error.code': outcome.errorCode ?? undefined,
    fault: outcome.fault ?? undefined,
    duration_ms: round(durationMs),
    first_byte_ms: record.firstByteMs === null ? undefined : round(record.firstByteMs),
    peer: record.peer,
    revision: record.revision,
    key_id: record.keyId,
    project_id: record.projectId ?? undefined,
    circuit_id: record.circuitId ?? undefined,
    model: record.model,
    stream: record.stream,
    endpoint_id: last?.endpointId,
    route_id: last?.routeId,
    replica: last?.address,
    attempts: record.attempts.length,
    failed_attempts: failedAttempts(record),
    body_bytes: record.bodyBytes,
    answer_bytes: record.answerBytes,
    prompt_tokens: record.usage?.promptTokens ?? undefined,
    completion_tokens: record.usage?.completionTokens ?? undefined,
    err: outcome.cause,
  };
}

/** Only for requests that needed more than one attempt or got no answer, so that the usual line stays short. */
function failedAttempts(record: RequestRecord): string | undefined {
  const failed = record.attempts.filter((attempt) => attempt.result !== 'ok' && attempt.result !== null);
  if (failed.length === 0) return undefined;
  return failed.map((attempt) => `${attempt.address} ${attempt.result}`).join(', ');
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
