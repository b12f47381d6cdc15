import { call, type Answer } from './http.ts';
import type { RouterInfo } from './stack-info.ts';

export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string | null;
    readonly param: string | null;
  };
}

/** The part of a router's `/status` that tests read. */
export interface RouterStatus {
  readonly node_id: string;
  readonly pid: number;
  readonly ready: boolean;
  readonly draining: boolean;
  readonly revision: string | null;
  readonly in_flight: number;
  readonly models?: readonly {
    readonly name: string;
    readonly endpoints: readonly { readonly endpoint_id: string; readonly ratio: number }[];
  }[];
}

/** One router instance: its public side with any key, and its admin side. */
export class RouterApi {
  readonly baseUrl: string;
  readonly adminUrl: string;

  constructor(info: Pick<RouterInfo, 'base_url' | 'admin_url'>) {
    this.baseUrl = info.base_url;
    this.adminUrl = info.admin_url;
  }

  chat(key: string | null, model: string, extra: object = {}): Promise<Answer<OpenAiError>> {
    const body = { model, messages: [{ role: 'user', content: 'hello' }], ...extra };
    return call(`${this.baseUrl}/chat/completions`, { body, headers: bearer(key) });
  }

  /** The names in the key's listing, or null when the listing was refused. */
  async listModels(key: string): Promise<string[] | null> {
    const answer = await call<{ data?: { id: string }[] }>(`${this.baseUrl}/models`, {
      headers: bearer(key),
    });
    if (answer.status !== 200) return null;
    return (answer.json.data ?? []).map(({ id }) => id);
  }

  async status(): Promise<RouterStatus> {
    return (await call<RouterStatus>(`${this.adminUrl}/status`)).json;
  }

  async metrics(): Promise<string> {
    return (await call(`${this.adminUrl}/metrics`)).text;
  }

  /** 0 when nobody answers. */
  async readyStatus(): Promise<number> {
    try {
      return (await call(`${this.adminUrl}/readyz`, { fresh: true })).status;
    } catch {
      return 0;
    }
  }
}

export function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}
