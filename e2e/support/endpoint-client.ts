import { call, type Answer, type Call } from './http.ts';
import { bearer, type OpenAiError } from './router-api.ts';

/** One endpoint at one listener, addressed by its host name as a resolver would have led there. */
export class EndpointClient {
  readonly #origin: string;
  readonly host: string;

  /** @param listener any URL of the listener; its path is ignored */
  constructor(listener: string, host: string) {
    this.#origin = new URL(listener).origin;
    this.host = host;
  }

  send<T = OpenAiError>(path: string, token: string | null, options: Call = {}): Promise<Answer<T>> {
    return call<T>(`${this.#origin}${path}`, {
      ...options,
      headers: { host: this.host, ...bearer(token), ...options.headers },
    });
  }

  chat(token: string | null, extra: object = {}): Promise<Answer<OpenAiError>> {
    const body = { model: 'any', messages: [{ role: 'user', content: 'hello' }], ...extra };
    return this.send('/v1/chat/completions', token, { body });
  }
}
