import { ERRORS, type ErrorCode, type ErrorEntry } from './catalogue.js';

/** One refused field of a request: `replicas.0.port` and what is wrong with it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

interface AppErrorOptions {
  /** For logs only. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** For logs only. */
  readonly cause?: unknown;
  /** Request parameter at fault, for the OpenAI error shape. */
  readonly param?: string | undefined;
  /** Fields at fault, for problem+json. */
  readonly errors?: readonly FieldError[] | undefined;
  /** Becomes `Retry-After`, whole seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** Becomes `Allow`. */
  readonly allow?: readonly string[] | undefined;
}

/** An expected failure. `message` reaches the caller; `details` and `cause` reach logs only. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly param: string | null;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(code: ErrorCode, publicMessage: string, options: AppErrorOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.param = options.param ?? null;
    this.errors = options.errors ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
  }

  get entry(): ErrorEntry {
    return ERRORS[this.code];
  }

  get status(): number {
    return this.entry.status;
  }

  /** What the caller may read. */
  get publicMessage(): string {
    return this.message;
  }
}
