import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';

interface HostCall {
  readonly host?: string;
  readonly method?: string;
  readonly path?: string;
  /** Those without a value are not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** An answer, read to its end. */
export interface HostAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** Code of an error in either form. */
  readonly code: string | undefined;
}

/** A request with any `Host`, which `fetch` does not allow. A body is sent as JSON by `POST`. */
export async function hostCall(port: number, call: HostCall): Promise<HostAnswer> {
  const { host = 'none', path = '/v1/models', body } = call;
  const method = call.method ?? (body === undefined ? 'GET' : 'POST');
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const all = Object.entries({ host, ...type, ...call.headers });
  const headers = Object.fromEntries(all.filter(([, value]) => value !== undefined));
  const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += piece as string;
  return { status: response.statusCode ?? 0, headers: response.headers, text, code: codeOf(text) };
}

function codeOf(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as { error?: { code?: string }; msg?: string; error_code?: string };
    return body.error?.code ?? /^E\d{5}/.exec(body.msg ?? '')?.[0] ?? body.error_code;
  } catch {
    return undefined;
  }
}
