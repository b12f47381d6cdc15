import { randomUUID } from 'node:crypto';
import {
  circuitsResponseSchema,
  HEADERS,
  revisionEtag,
  routerConfigSchema,
  workerResponseSchema,
  type Circuit,
  type RouterConfig,
  type WorkerRequest,
} from '@penstock/protocol';
import { Pool } from 'undici';
import type { z } from 'zod';
import { describeError, systemErrorCode } from '../../../system-error.js';
import { CoordinatorError, type CoordinatorClient, type NodeReport } from '../coordinator-client.port.js';
import { classifyStatus } from '../domain/classify-status.js';
import { readBounded } from './read-bounded.js';

interface Options {
  /** Base URL; a path in it is kept. */
  readonly url: string;
  readonly apiSecret: string;
  /** Deadline of one call, in milliseconds; may change while running. */
  readonly timeoutMs: () => number;
}

interface Call {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Speaks to the coordinator over a few kept-alive connections. Bodies are never logged: they hold key hashes. */
export class UndiciCoordinatorClient implements CoordinatorClient {
  private readonly pool: Pool;
  private readonly prefix: string;

  constructor(private readonly options: Options) {
    const url = new URL(options.url);
    this.pool = new Pool(url.origin, { connections: 4, pipelining: 1 });
    this.prefix = url.pathname.replace(/\/$/, '');
  }

  async register(worker: WorkerRequest): Promise<string> {
    const answer = await this.call({ method: 'PUT', path: '/api/worker', body: worker });
    return parse(workerResponseSchema, answer, 'registration').id;
  }

  async heartbeat(workerId: string, report: NodeReport): Promise<void> {
    await this.call({ method: 'PATCH', path: workerPath(workerId), body: report });
  }

  async deregister(workerId: string, nodeId: string): Promise<void> {
    const path = `${workerPath(workerId)}?node_id=${encodeURIComponent(nodeId)}`;
    await this.call({ method: 'DELETE', path });
  }

  async circuits(workerId: string): Promise<readonly Circuit[]> {
    const answer = await this.call({ method: 'GET', path: `${workerPath(workerId)}/circuits` });
    return parse(circuitsResponseSchema, answer, 'circuits').circuits;
  }

  /** Sends both conditional forms: shipped coordinators know one, the reviewed design the other. */
  async routerConfig(workerId: string, knownRevision: string | null): Promise<RouterConfig | null> {
    const path = `${workerPath(workerId)}/router-config`;
    const answer = await this.call(
      knownRevision === null
        ? { method: 'GET', path }
        : {
            method: 'GET',
            path: `${path}?known_revision=${encodeURIComponent(knownRevision)}`,
            headers: { [HEADERS.ifNoneMatch]: revisionEtag(knownRevision) },
          },
    );
    return answer.status === 304 ? null : parse(routerConfigSchema, answer, 'router-config');
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async call(call: Call): Promise<Answer> {
    const what = `${call.method} ${call.path.split('?')[0]}`;
    const answer = await this.exchange(call).catch((error: unknown) => {
      if (error instanceof CoordinatorError) throw error;
      throw new CoordinatorError(
        'unreachable',
        `${what} got no answer: ${systemErrorCode(error) ?? describeError(error)}`,
        { cause: error },
      );
    });
    if (answer.status === 304 || (answer.status >= 200 && answer.status < 300)) return answer;
    throw new CoordinatorError(
      classifyStatus(answer.status),
      `${what} answered ${answer.status}${hint(answer)}`,
    );
  }

  private async exchange(call: Call): Promise<Answer> {
    const response = await this.pool.request({
      method: call.method,
      path: this.prefix + call.path,
      headers: {
        accept: 'application/json',
        [HEADERS.backendaiToken]: this.options.apiSecret,
        [HEADERS.backendaiRequestId]: randomUUID(),
        ...(call.body && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      body: call.body ? JSON.stringify(call.body) : null,
      signal: AbortSignal.timeout(this.options.timeoutMs()),
    });
    return { status: response.statusCode, text: await readBounded(response.body) };
  }
}

function workerPath(workerId: string): string {
  return `/api/worker/${encodeURIComponent(workerId)}`;
}

function parse<Schema extends z.ZodType>(schema: Schema, answer: Answer, what: string): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(answer.text));
  if (parsed.success) return parsed.data;
  // Only where and what is wrong: the values may be key hashes.
  const issues = parsed.error.issues.slice(0, 5).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new CoordinatorError('unreadable', `${what} does not validate: ${issues.join('; ')}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The title of an error body, which says what an operator has to change. */
function hint(answer: Answer): string {
  const body = parseJson(answer.text);
  if (typeof body !== 'object' || body === null) return '';
  const { title, msg } = body as { title?: unknown; msg?: unknown };
  const words = [title, msg].filter((word) => typeof word === 'string');
  return words.length === 0 ? '' : `: ${words.join(' ').slice(0, 300)}`;
}
