import {
  type Circuit,
  circuitsResponseSchema,
  deleteResponseSchema,
  type DeleteResponse,
  listKeysResponseSchema,
  type ListKeysResponse,
  listModelsResponseSchema,
  type ListModelsResponse,
  type PutKeyBody,
  putKeyResponseSchema,
  type PutKeyResponse,
  type PutModelBody,
  putModelResponseSchema,
  type PutModelResponse,
  type WorkerResponse,
  workerResponseSchema,
  workersResponseSchema,
} from '@penstock/protocol';

import type { CallOptions, CoordinatorClient, RouterWorker } from '../coordinator-client.port.js';
import { EndpointCalls } from './endpoint-calls.js';

/** The coordinator over HTTP. Names become one percent-encoded path segment each. */
export class UndiciCoordinatorClient extends EndpointCalls implements CoordinatorClient {
  putModel(
    authority: string,
    model: string,
    body: PutModelBody,
    options: CallOptions,
  ): Promise<PutModelResponse> {
    const path = `${routerPath(authority)}/models/${encodeURIComponent(model)}`;
    return this.http.call({ ...options, method: 'PUT', path, body, answer: putModelResponseSchema });
  }

  removeModel(authority: string, model: string, options: CallOptions): Promise<DeleteResponse> {
    const path = `${routerPath(authority)}/models/${encodeURIComponent(model)}`;
    return this.http.call({ ...options, method: 'DELETE', path, answer: deleteResponseSchema });
  }

  putKey(authority: string, keyId: string, body: PutKeyBody, options: CallOptions): Promise<PutKeyResponse> {
    const path = `${routerPath(authority)}/api-keys/${encodeURIComponent(keyId)}`;
    return this.http.call({ ...options, method: 'PUT', path, body, answer: putKeyResponseSchema });
  }

  removeKey(
    authority: string,
    keyId: string,
    strict: boolean,
    options: CallOptions,
  ): Promise<DeleteResponse> {
    const path = `${routerPath(authority)}/api-keys/${encodeURIComponent(keyId)}?strict=${strict}`;
    return this.http.call({ ...options, method: 'DELETE', path, answer: deleteResponseSchema });
  }

  listModels(authority: string, options: CallOptions): Promise<ListModelsResponse> {
    const path = `${routerPath(authority)}/models`;
    return this.http.call({ ...options, method: 'GET', path, answer: listModelsResponseSchema });
  }

  listKeys(authority: string, options: CallOptions): Promise<ListKeysResponse> {
    const path = `${routerPath(authority)}/api-keys`;
    return this.http.call({ ...options, method: 'GET', path, answer: listKeysResponseSchema });
  }

  async listWorkers(options: CallOptions): Promise<RouterWorker[]> {
    const answer = await this.http.call({
      ...options,
      method: 'GET',
      path: '/api/worker',
      answer: workersResponseSchema,
    });
    return answer.workers.map(toRouter);
  }

  async getRouter(workerId: string, options: CallOptions): Promise<RouterWorker> {
    const path = `/api/worker/${encodeURIComponent(workerId)}`;
    return toRouter(await this.http.call({ ...options, method: 'GET', path, answer: workerResponseSchema }));
  }

  async listCircuits(workerId: string, options: CallOptions): Promise<Circuit[]> {
    const path = `/api/worker/${encodeURIComponent(workerId)}/circuits`;
    const answer = await this.http.call({ ...options, method: 'GET', path, answer: circuitsResponseSchema });
    return answer.circuits;
  }
}

function routerPath(authority: string): string {
  return `/v2/routers/${encodeURIComponent(authority)}`;
}

function toRouter(worker: WorkerResponse): RouterWorker {
  const { id, authority, hostname, nodes, frontend_mode: frontendMode } = worker;
  return { id, authority, hostname, nodes, frontendMode, nodeDetails: worker.node_details ?? [] };
}
