import type { Fault } from '@penstock/protocol';

/** How far a request got. */
export type Phase = 'head' | 'body' | 'select' | 'attempt' | 'relay' | 'done';

/** Tokens a replica reported; null where it did not. */
export interface RecordedUsage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly totalTokens: number | null;
}

/** One try at one replica. Times are milliseconds since the request was accepted. */
export interface AttemptRecord {
  readonly endpointId: string;
  readonly routeId: string;
  readonly address: string;
  readonly startedMs: number;
  headMs: number | null;
  endedMs: number | null;
  status: number | null;
  /** `ok`, or why the attempt ended without being relayed. */
  result: string | null;
}

/** How a request ended. */
export interface Outcome {
  readonly kind:
    /** The whole answer went out, whatever its status. */
    | 'completed'
    /** Answered with an error of ours. */
    | 'refused'
    /** The client left before its answer was complete. */
    | 'client_closed'
    /** The answer broke after part of it had gone out. */
    | 'cut';
  /** Status that went out; null when none did. */
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly fault: Fault | null;
  /** For the log only. */
  readonly cause?: unknown;
}

/** Everything one request leaves behind, filled in as it goes. Never holds a key, a prompt or an answer. */
export class RequestRecord {
  phase: Phase = 'head';
  route = 'unknown';
  clientRequestId: string | null = null;
  peer: string | null = null;
  revision: string | null = null;
  keyId: string | null = null;
  projectId: string | null = null;
  /** The circuit its host stands for. Null in mode `router`, where the endpoint says as much in a shorter line. */
  circuitId: string | null = null;
  model: string | null = null;
  stream = false;
  bodyBytes = 0;
  answerBytes = 0;
  /** When the first byte of the answer's body went out, in milliseconds since the request was accepted. */
  firstByteMs: number | null = null;
  readonly attempts: AttemptRecord[] = [];
  usage: RecordedUsage | null = null;
  /** Set by the one call of `finish`. */
  outcome: Outcome | null = null;

  /**
   * @param startedMs - monotonic milliseconds
   * @param mode - by which rules it is served: `router`, `wildcard` or `internal`
   */
  constructor(
    readonly id: string,
    readonly method: string,
    readonly startedMs: number,
    readonly mode = 'router',
  ) {}

  /** @param nowMs - monotonic milliseconds */
  beginAttempt(endpointId: string, routeId: string, address: string, nowMs: number): AttemptRecord {
    const startedMs = nowMs - this.startedMs;
    const attempt = {
      endpointId,
      routeId,
      address,
      startedMs,
      headMs: null,
      endedMs: null,
      status: null,
      result: null,
    };
    this.attempts.push(attempt);
    return attempt;
  }
}
