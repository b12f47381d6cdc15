import { randomUUID } from 'node:crypto';

import { call, type Answer, type Call } from './http.ts';
import type { StackInfo } from './stack-info.ts';

export interface Propagation {
  readonly status: 'applied' | 'deferred' | 'unchanged';
  readonly revision: string | null;
}

export interface Created {
  readonly id: string;
  readonly propagation?: Propagation;
}

export interface IssuedKey extends Created {
  readonly key: string;
  readonly display_hint: string;
}

export interface StrictAnswer extends Created {
  readonly strict: {
    readonly confirmed: boolean;
    readonly confirmed_nodes: readonly string[];
    readonly unconfirmed_nodes: readonly string[];
  };
}

export interface Mapping {
  readonly deployment_id: string;
  readonly ratio: number;
}

export interface ReplicaAddress {
  readonly host: string;
  readonly port: number;
}

/** The manager's REST API as the admin uses it. Every method fails loudly on an answer that is no success. */
export class ManagerApi {
  readonly #info: StackInfo;

  constructor(info: StackInfo) {
    this.#info = info;
  }

  /** Any call, answered as it is. */
  raw<T = unknown>(path: string, options: Call = {}): Promise<Answer<T>> {
    const headers = { authorization: `Bearer ${this.#info.admin_token}`, ...options.headers };
    return call<T>(`${this.#info.manager_url}/api/v1${path}`, { ...options, headers });
  }

  createProject(): Promise<Created> {
    return this.#send('POST', '/projects', { name: unique('project') });
  }

  createDeployment(
    projectId: string,
    servedModel: string,
    replicas: readonly ReplicaAddress[],
  ): Promise<Created> {
    const name = unique('deployment');
    return this.#send('POST', '/deployments', {
      project_id: projectId,
      name,
      served_model: servedModel,
      replicas,
    });
  }

  replaceReplicas(deploymentId: string, replicas: readonly ReplicaAddress[]): Promise<Created> {
    return this.#send('PUT', `/deployments/${deploymentId}/replicas`, { replicas });
  }

  publish(projectId: string, name: string, mappings: readonly Mapping[]): Promise<Created> {
    return this.#send('POST', '/publications', { project_id: projectId, name, mappings });
  }

  changePublication(
    id: string,
    change: { aliases?: string[]; mappings?: readonly Mapping[] },
  ): Promise<Created> {
    return this.#send('PATCH', `/publications/${id}`, change);
  }

  unpublish(id: string): Promise<Created> {
    return this.#send('DELETE', `/publications/${id}`);
  }

  issueKey(projectId: string, allowedModels: readonly string[], extra: object = {}): Promise<IssuedKey> {
    return this.#send('POST', '/model-api-keys', {
      project_id: projectId,
      name: unique('key'),
      allowed_models: allowedModels,
      ...extra,
    });
  }

  rotateKey(id: string): Promise<IssuedKey> {
    return this.#send('POST', `/model-api-keys/${id}/rotate`, {});
  }

  revokeKey(id: string): Promise<Created> {
    return this.#send('DELETE', `/model-api-keys/${id}`);
  }

  revokeKeyStrictly(id: string): Promise<StrictAnswer> {
    return this.#send('DELETE', `/model-api-keys/${id}?strict=true`);
  }

  async #send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
    const answer = await this.raw<T>(path, body === undefined ? { method } : { method, body });
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json;
  }
}

/** A name no other test uses. */
export function unique(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 8)}`;
}
