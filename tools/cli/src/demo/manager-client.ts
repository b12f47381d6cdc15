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

  post<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    return this.call('POST', path, schema, body);
  }

  put<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    return this.call('PUT', path, schema, body);
  }

  private async call<T>(method: string, path: string, schema: z.ZodType<T>, body?: object): Promise<T> {
    const response = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw refusal(method, path, response.status, text);
    return parse(schema, text, `${method} ${path}`);
  }
}

function parse<T>(schema: z.ZodType<T>, text: string, call: string): T {
  const result = schema.safeParse(JSON.parse(text));
  if (result.success) return result.data;
  throw new UserError(`The manager's answer to ${call} is not what was expected: ${result.error.message}`);
}

function refusal(method: string, path: string, status: number, text: string): UserError {
  return new UserError(
    `The manager answered ${method} ${path} with ${status}: ${text.slice(0, BODY_SHOWN_MAX)}`,
  );
}
