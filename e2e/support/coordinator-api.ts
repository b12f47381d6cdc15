import { call, type Answer, type Call } from './http.ts';
import type { StackInfo } from './stack-info.ts';

export interface NodeDetail {
  readonly node_id: string;
  readonly status: string;
}

/** The coordinator's REST API as a manager uses it. */
export class CoordinatorApi {
  readonly #url: string;
  readonly #secret: string;
  readonly authority: string;

  constructor(info: StackInfo, url = info.coordinator_url) {
    this.#url = url;
    this.#secret = info.api_secret;
    this.authority = info.authority;
  }

  raw<T = unknown>(path: string, options: Call = {}): Promise<Answer<T>> {
    const headers = { 'x-backendai-token': this.#secret, ...options.headers };
    return call<T>(`${this.#url}${path}`, { ...options, headers });
  }

  putModel(model: string, body: object): Promise<Answer> {
    return this.#mutate('PUT', `models/${encodeURIComponent(model)}`, body);
  }

  deleteModel(model: string): Promise<Answer> {
    return this.#mutate('DELETE', `models/${encodeURIComponent(model)}`);
  }

  putKey(keyId: string, body: object): Promise<Answer> {
    return this.#mutate('PUT', `api-keys/${encodeURIComponent(keyId)}`, body);
  }

  deleteKey(keyId: string): Promise<Answer> {
    return this.#mutate('DELETE', `api-keys/${encodeURIComponent(keyId)}`);
  }

  /** Nodes of the authority whose liveness has not run out. */
  async liveNodes(): Promise<string[]> {
    const { json } = await this.raw<{ workers: { id: string; authority: string }[] }>('/api/worker');
    const worker = json.workers.find(({ authority }) => authority === this.authority);
    if (worker === undefined) return [];
    const detail = await this.raw<{ node_details?: NodeDetail[] }>(`/api/worker/${worker.id}`);
    return (detail.json.node_details ?? []).map(({ node_id }) => node_id);
  }

  async #mutate(method: 'PUT' | 'DELETE', path: string, body?: object): Promise<Answer> {
    const full = `/v2/routers/${encodeURIComponent(this.authority)}/${path}`;
    const answer = await this.raw(full, body === undefined ? { method } : { method, body });
    if (answer.status !== 200) throw new Error(`${method} ${full} answered ${answer.status}: ${answer.text}`);
    return answer;
  }
}
