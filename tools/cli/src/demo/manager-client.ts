import type { z } from 'zod';
import { UserError } from '../user-error.js';

const TIMEOUT_MS = 25_000;
const BODY_SHOWN_MAX = 500;

/** Calls the manager's REST API the way any operator's script would. */
export class ManagerClient {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return this.call('GET', path, schema);
  }

  /** Null when there is no such thing. */
  async find<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
    const { status, text } = await this.send('GET', path);
    return status === 404 ? null : accepted(schema, `GET ${path}`, status, text);
  }

  post<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    return this.call('POST', path, schema, body);
  }

  put<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    return this.call('PUT', path, schema, body);
  }

  private async call<T>(method: string, path: string, schema: z.ZodType<T>, body?: object): Promise<T> {
    const { status, text } = await this.send(method, path, body);
    return accepted(schema, `${method} ${path}`, status, text);
  }

  private async send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  }
}

/** The answer, if it is a success and has the expected shape. */
function accepted<T>(schema: z.ZodType<T>, call: string, status: number, text: string): T {
  if (status >= 400) {
    throw new UserError(`The manager answered ${call} with ${status}: ${text.slice(0, BODY_SHOWN_MAX)}`);
  }
  const result = schema.safeParse(JSON.parse(text));
  if (result.success) return result.data;
  throw new UserError(`The manager's answer to ${call} is not what was expected: ${result.error.message}`);
}
