import type { Agent } from 'node:http';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { Answer } from './answer.js';
import { CheckFailed } from './expect.js';
import { type Json, parseJson } from './json.js';
import { readBody } from './read-body.js';

/** One request. Without `body` and `raw` it carries none. */
export interface Call {
  readonly body?: Json;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ClientOptions {
  readonly baseUrl: string;
  /** Sent with every call unless the call says otherwise. */
  readonly headers: Readonly<Record<string, string>>;
  /** Named in User-Agent, so that a log tells which check a request belongs to. */
  readonly checkId: string;
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

/** HTTP as a check speaks it: nothing is retried, followed, decoded or hidden. */
export class HttpClient {
  constructor(private readonly options: ClientOptions) {}

  /** @throws CheckFailed when there is no proper HTTP answer in time. */
  async send(method: string, path: string, call: Call = {}): Promise<Answer> {
    const payload = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    const headers = { ...this.usualHeaders(payload), ...this.options.headers, ...call.headers };
    const name = `${method} ${path.split('?')[0]}`;
    try {
      const response = await this.exchange(method, path, headers, payload);
      const text = (await readBody(response)).toString('utf8');
      return {
        request: name,
        status: response.statusCode ?? 0,
        headers: response.headers,
        text,
        json: parseJson(text),
      };
    } catch (error) {
      throw new CheckFailed(`${name}: no answer (${error instanceof Error ? error.message : String(error)})`);
    }
  }

  private usualHeaders(payload: string | undefined): Record<string, string> {
    return {
      'user-agent': `penstock-conformance (${this.options.checkId})`,
      'x-backendai-requestid': randomUUID(),
      ...(payload !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(payload)),
      }),
    };
  }

  private exchange(
    method: string,
    path: string,
    headers: Record<string, string>,
    payload: string | undefined,
  ): Promise<IncomingMessage> {
    const { baseUrl, agent, signal } = this.options;
    return new Promise((resolve, reject) => {
      const request = httpRequest(new URL(path, baseUrl), { method, headers, agent, signal }, resolve);
      request.once('error', reject);
      request.end(payload);
    });
  }
}
