/** What came back: status, parsed body, headers. */
export interface ApiAnswer<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

/** An answer whose members a test compares and does not use. */
export type AnyBody = Readonly<Record<string, unknown>>;

interface SendOptions {
  readonly headers?: Record<string, string>;
}

/** A caller of the API with one token. */
export class ApiClient {
  constructor(
    private readonly baseUrl: () => string,
    private readonly token: string | null,
  ) {}

  get<T = AnyBody>(path: string, options: SendOptions = {}): Promise<ApiAnswer<T>> {
    return this.send('GET', path, undefined, options);
  }

  post<T = AnyBody>(path: string, body?: unknown, options: SendOptions = {}): Promise<ApiAnswer<T>> {
    return this.send('POST', path, body, options);
  }

  put<T = AnyBody>(path: string, body: unknown): Promise<ApiAnswer<T>> {
    return this.send('PUT', path, body);
  }

  patch<T = AnyBody>(path: string, body: unknown): Promise<ApiAnswer<T>> {
    return this.send('PATCH', path, body);
  }

  delete<T = AnyBody>(path: string): Promise<ApiAnswer<T>> {
    return this.send('DELETE', path);
  }

  async send<T = AnyBody>(
    method: string,
    path: string,
    body?: unknown,
    options: SendOptions = {},
  ): Promise<ApiAnswer<T>> {
    const response = await fetch(`${this.baseUrl()}${path}`, {
      method,
      headers: {
        ...(this.token !== null && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body: typeof body === 'string' || body === undefined ? (body ?? null) : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: parse(text) as T, headers: response.headers };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
