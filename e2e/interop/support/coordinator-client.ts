import { randomUUID } from 'node:crypto';

import { call, type Answer, type Call } from '../../support/http.ts';
import { SECRETS } from './secrets.ts';
import type { CoordinatorPlace } from './site.ts';

export interface WorkerView {
  readonly id: string;
  readonly authority: string;
  readonly frontend_mode: string;
  readonly protocol: string;
  readonly accepted_traffics: readonly string[];
  readonly available_slots: number;
  readonly occupied_slots: number;
  readonly nodes: number;
  readonly updated_at: string;
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

export interface CreatedEndpoint {
  readonly id: string;
  /** With a trailing slash. */
  readonly url: string;
}

export interface EndpointWish {
  readonly serviceName: string;
  /** Selects the worker whose frontend it belongs to. */
  readonly existingUrl: string;
  readonly isOpen?: boolean;
  /** Ours only: no other worker may get it. */
  readonly authority?: string;
}

const USER = '00000000-0000-4000-8000-0000000000aa';

/** Calls an AppProxy coordinator, ours or the real one, the way a manager does. */
export class CoordinatorClient {
  readonly #url: string;

  constructor({ url }: Pick<CoordinatorPlace, 'url'>) {
    this.#url = url;
  }

  raw<T = unknown>(path: string, options: Call = {}): Promise<Answer<T>> {
    const headers = { 'x-backendai-token': SECRETS.api, ...options.headers };
    return call<T>(`${this.#url}${path}`, { ...options, headers });
  }

  async worker(authority: string): Promise<WorkerView | undefined> {
    const { workers } = await this.#ok<{ workers: WorkerView[] }>('/api/worker');
    return workers.find((worker) => worker.authority === authority);
  }

  /** The bulk call: the single one is broken in the real coordinator. */
  async createEndpoint(wish: EndpointWish): Promise<CreatedEndpoint> {
    const { id, status, text, url } = await this.tryCreate(wish);
    if (status !== 200) throw new Error(`the endpoint was refused with ${status}: ${text}`);
    return { id, url };
  }

  async tryCreate(wish: EndpointWish): Promise<CreatedEndpoint & { status: number; text: string }> {
    const item = endpointItem(wish);
    const { status, text, json } = await this.raw<{ endpoints?: { url: string }[] }>('/v2/endpoints/bulk', {
      body: { endpoints: [item] },
    });
    return { id: item.deployment_id, url: json.endpoints?.[0]?.url ?? '', status, text };
  }

  /** The id of the endpoint's circuit. */
  async circuitOf(authority: string, endpointId: string): Promise<string> {
    const worker = await this.worker(authority);
    const { circuits } = await this.#ok<{ circuits: { id: string; endpoint_id: string }[] }>(
      `/api/worker/${worker?.id ?? ''}/circuits`,
    );
    const found = circuits.find(({ endpoint_id }) => endpoint_id === endpointId);
    if (found === undefined) throw new Error(`${authority} has no circuit for ${endpointId}`);
    return found.id;
  }

  statistics(circuitId: string): Promise<{ requests: number; last_access: number }> {
    return this.#ok(`/api/circuit/${circuitId}/statistics`);
  }

  async deleteEndpoint(id: string): Promise<void> {
    const body = { endpoints: [{ deployment_id: id }] };
    await this.#ok('/v2/endpoints/bulk', { method: 'DELETE', body });
  }

  /** Replaces the route table: one route per address, with ids that follow from the address. */
  async setRoutes(id: string, targets: readonly Target[]): Promise<void> {
    const body = { endpoints: [{ deployment_id: id, routes: targets.map(routeEntry) }] };
    const { endpoints } = await this.#ok<{ endpoints: { success: boolean; error?: string }[] }>(
      '/v2/endpoints/bulk/routes',
      { body },
    );
    if (endpoints[0]?.success !== true) throw new Error(`routes were refused: ${endpoints[0]?.error ?? ''}`);
  }

  async mintToken(id: string, expiresInS = 600): Promise<string> {
    const exp = Math.floor(Date.now() / 1000) + expiresInS;
    const body = { user_uuid: USER, exp };
    return (await this.#ok<{ token: string }>(`/v2/endpoints/${id}/token`, { body })).token;
  }

  async #ok<T>(path: string, options: Call = {}): Promise<T> {
    const answer = await this.raw<T>(path, options);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.json;
  }
}

function endpointItem({ serviceName, existingUrl, isOpen = false, authority }: EndpointWish) {
  const deployment_id = randomUUID();
  return {
    version: 'v2',
    ...(authority === undefined ? {} : { authority }),
    deployment_id,
    service_name: serviceName,
    tags: {
      session: { user_uuid: USER, project_id: USER, domain_name: 'default' },
      endpoint: { id: deployment_id, runtime_variant: 'vllm', existing_url: existingUrl },
    },
    open_to_public: isOpen,
    health_check: null,
  };
}

function routeEntry({ host, port }: Target) {
  const route_id = `00000000-0000-4000-8000-${port.toString(16).padStart(12, '0')}`;
  return { session_id: route_id, route_id, kernel_host: host, kernel_port: port };
}
