import { randomUUID } from 'node:crypto';

import { HEADERS } from '@penstock/protocol';
import { Pool } from 'undici';
import type { z } from 'zod';

import type { CallOptions } from '../coordinator-client.port.js';
import { CoordinatorError, kindOfStatus } from '../coordinator.error.js';

export interface CoordinatorHttpOptions {
  /** Origin and optional path prefix, such as `http://coordinator:10200`. */
  readonly url: string;
  readonly apiSecret: string;
  /** Calls in flight at once; a call that waits for an ack holds its connection. Default 64. */
  readonly connections?: number;
}

export interface CoordinatorRequest<S extends z.ZodType> extends CallOptions {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Percent-encoded already. */
  readonly path: string;
  readonly body?: unknown;
  readonly answer: S;
}

const CONNECT_TIMEOUT_MS = 2_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** Says who else has the name. */
const NAME_CONFLICT = 'model-name-conflict';

/**
 * Refusals that another push resolves: the tables hold what fits together, but pushes of several entities arrive in
 * any order.
 */
const ORDER_CONFLICTS: ReadonlySet<string> = new Set([
  'upstream-conflict',
  'endpoint-in-use',
  'endpoint-published',
  'internal-publication',
]);

interface RefusalBody {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly msg?: unknown;
  readonly data?: { readonly name?: unknown } | null;
}

/** Connection failures in which the request cannot have been answered; every call may be repeated. */
const STALE_CONNECTION: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** One pool of kept-alive connections; every call has a deadline and ends in an answer or a `CoordinatorError`. */
export class CoordinatorHttp {
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #secret: string;

  constructor(options: CoordinatorHttpOptions) {
    const url = new URL(options.url);
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#secret = options.apiSecret;
    this.#pool = new Pool(url.origin, {
      connections: options.connections ?? 64,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      keepAliveTimeout: 4_000,
      maxResponseSize: ANSWER_BYTES_MAX,
    });
  }

  async call<S extends z.ZodType>(request: CoordinatorRequest<S>): Promise<z.output<S>> {
    const signal = AbortSignal.timeout(request.deadlineMs);
    try {
      return await this.#send(request, signal);
    } catch (error) {
      // A connection that the coordinator closed between two calls shows only when it is used.
      if (isStaleConnection(error) && !signal.aborted) return this.#sendOrExplain(request, signal);
      throw explain(error, request);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #sendOrExplain<S extends z.ZodType>(
    request: CoordinatorRequest<S>,
    signal: AbortSignal,
  ): Promise<z.output<S>> {
    try {
      return await this.#send(request, signal);
    } catch (error) {
      throw explain(error, request);
    }
  }

  async #send<S extends z.ZodType>(
    request: CoordinatorRequest<S>,
    signal: AbortSignal,
  ): Promise<z.output<S>> {
    const { statusCode, body } = await this.#pool.request({
      method: request.method,
      path: `${this.#prefix}${request.path}`,
      headers: this.#headers(request),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal,
      headersTimeout: request.deadlineMs + 1_000,
      bodyTimeout: request.deadlineMs + 1_000,
    });
    const text = await body.text();
    if (statusCode !== 200) throw refusal(statusCode, text, request);
    return readAnswer(request, text);
  }

  #headers(request: CoordinatorRequest<z.ZodType>): Record<string, string> {
    return {
      [HEADERS.backendaiToken]: this.#secret,
      [HEADERS.backendaiRequestId]: randomUUID(),
      accept: 'application/json',
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...(request.traceparent != null && { traceparent: request.traceparent }),
    };
  }
}

function readAnswer<S extends z.ZodType>(request: CoordinatorRequest<S>, text: string): z.output<S> {
  const parsed = request.answer.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new CoordinatorError('unavailable', `${nameOf(request)}: the answer is not what was agreed`, {
    status: 200,
  });
}

function refusal(status: number, text: string, request: CoordinatorRequest<z.ZodType>): CoordinatorError {
  const body = parseJson(text) as RefusalBody | null;
  const words = [body?.title, body?.msg].filter((word) => typeof word === 'string').join(' ');
  const problem = problemOf(body);
  return new CoordinatorError(
    problem !== null && ORDER_CONFLICTS.has(problem) ? 'unavailable' : kindOfStatus(status),
    `${nameOf(request)}: ${status} ${words}`.trim().slice(0, 400),
    { status, problem, takenName: problem === NAME_CONFLICT ? nameIn(body) : null },
  );
}

function problemOf(body: RefusalBody | null): string | null {
  return typeof body?.type === 'string' ? (body.type.split('/').at(-1) ?? null) : null;
}

function nameIn(body: RefusalBody | null): string | null {
  const name = body?.data?.name;
  return typeof name === 'string' ? name : null;
}

function explain(error: unknown, request: CoordinatorRequest<z.ZodType>): CoordinatorError {
  if (error instanceof CoordinatorError) return error;
  const code = codeOf(error) ?? (error instanceof Error ? error.name : 'unknown error');
  return new CoordinatorError('unavailable', `${nameOf(request)}: ${code}`, { cause: error });
}

function isStaleConnection(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && STALE_CONNECTION.has(code);
}

function codeOf(error: unknown): string | null {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

function nameOf(request: CoordinatorRequest<z.ZodType>): string {
  return `${request.method} ${request.path.replace(/\?.*$/, '')}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
