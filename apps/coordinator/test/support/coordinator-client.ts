import type { Answer, AnswerBody } from './answer.js';

export const API_SECRET = 'test-api-secret';

export interface Call {
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A coordinator wherever it runs, spoken to over real HTTP. */
export class CoordinatorClient {
  constructor(readonly url: string) {}

  /** With the secret, unless headers are given. */
  async call(method: string, path: string, { body, rawBody, headers }: Call = {}): Promise<Answer> {
    const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const sent = new Headers(payload === undefined ? {} : { 'content-type': 'application/json' });
    for (const [name, value] of Object.entries(headers ?? { 'x-backendai-token': API_SECRET }))
      sent.set(name, value);
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: sent,
      ...(payload !== undefined && { body: payload }),
      redirect: 'manual',
      signal: AbortSignal.timeout(25_000),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) as AnswerBody };
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
