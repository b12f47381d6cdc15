import { Agent, request, type Dispatcher } from 'undici';

/** One connection pool for all test calls; plenty of connections, because streams hold theirs. */
export const dispatcher = new Agent({ connections: 512, headersTimeout: 60_000, bodyTimeout: 60_000 });

export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  readonly json: T;
}

export interface Call {
  readonly method?: Dispatcher.HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | object;
  /** Use a new connection that is closed afterwards. */
  readonly fresh?: boolean;
}

/** One HTTP call with its whole answer. Objects go out as JSON. */
export async function call<T = unknown>(url: string, options: Call = {}): Promise<Answer<T>> {
  const { body, headers } = encode(options);
  const response = await request(url, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    body: body ?? null,
    dispatcher,
    reset: options.fresh === true,
  });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text, json: parsed<T>(text) };
}

function encode({ body, headers = {} }: Call): { body?: string | Buffer; headers: Record<string, string> } {
  if (body === undefined) return { headers: { ...headers } };
  if (typeof body === 'string' || Buffer.isBuffer(body))
    return { body, headers: { 'content-type': 'application/json', ...headers } };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
}

function parsed<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined as T;
  }
}
