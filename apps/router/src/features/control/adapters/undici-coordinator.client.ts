import { randomUUID } from 'node:crypto';
import {
  HEADERS,
  revisionEtag,
  workerResponseSchema,
  type Circuit,
  type WorkerRequest,
} from '@penstock/protocol';
import { Pool } from 'undici';
import { describeError, systemErrorCode } from '../../../system-error.js';
import {
  CoordinatorError,
  type CoordinatorClient,
  type HeldConfig,
  type NodeReport,
} from '../coordinator-client.port.js';
import type { PulledConfig } from '../domain/apply-pull.js';
import { classifyStatus } from '../domain/classify-status.js';
import { inSlices } from './in-slices.js';
import { parseAnswer, parseJson } from './parse-answer.js';
import { readCircuits, readRouterConfig } from './read-answers.js';
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
    return parseAnswer(workerResponseSchema, parseJson(answer.text), 'registration').id;
  }

  async heartbeat(workerId: string, report: NodeReport): Promise<void> {
    await this.call({ method: 'PATCH', path: workerPath(workerId), body: report });
  }

  async deregister(workerId: string, nodeId: string): Promise<void> {
    const path = `${workerPath(workerId)}?node_id=${encodeURIComponent(nodeId)}`;
    await this.call({ method: 'DELETE', path });
  }

  async circuits(workerId: string, held: ReadonlyMap<string, Circuit>): Promise<readonly Circuit[]> {
    const answer = await this.call({ method: 'GET', path: `${workerPath(workerId)}/circuits` });
    return inSlices(readCircuits(parseJson(answer.text), held));
  }

  /** Sends both conditional forms: shipped coordinators know one, the reviewed design the other. */
  async routerConfig(workerId: string, { revision, ...held }: HeldConfig): Promise<PulledConfig | null> {
    const path = `${workerPath(workerId)}/router-config`;
    const answer = await this.call(
      revision === null
        ? { method: 'GET', path }
        : {
            method: 'GET',
            path: `${path}?known_revision=${encodeURIComponent(revision)}`,
            headers: { [HEADERS.ifNoneMatch]: revisionEtag(revision) },
          },
    );
    return answer.status === 304 ? null : inSlices(readRouterConfig(parseJson(answer.text), held));
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

/** The title of an error body, which says what an operator has to change. */
function hint(answer: Answer): string {
  const body = parseJson(answer.text);
  if (typeof body !== 'object' || body === null) return '';
  const { title, msg } = body as { title?: unknown; msg?: unknown };
  const words = [title, msg].filter((word) => typeof word === 'string');
  return words.length === 0 ? '' : `: ${words.join(' ').slice(0, 300)}`;
}
