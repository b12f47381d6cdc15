import {
  bulkCreateResponseSchema,
  type BulkOutcome,
  bulkOutcomesResponseSchema,
  type BulkOutcomesResponse,
  type Circuit,
  type CircuitPropagation,
  circuitsResponseSchema,
  deleteResponseSchema,
  type DeleteResponse,
  type EndpointItem,
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
  type RoutesItem,
  type WorkerResponse,
  workerResponseSchema,
  workersResponseSchema,
} from '@penstock/protocol';

import type {
  CallOptions,
  CoordinatorClient,
  DeploymentSteps,
  RouterWorker,
} from '../coordinator-client.port.js';
import { CoordinatorError } from '../coordinator.error.js';
import type { CoordinatorHttp } from './coordinator-http.js';

const ENDPOINTS_PATH = '/v2/endpoints/bulk';
/** Makes the coordinator say what became of each announcement. */
const REPORTED = '?propagation=true';

/** The coordinator over HTTP. Names become one percent-encoded path segment each. */
export class UndiciCoordinatorClient implements CoordinatorClient {
  readonly #http: CoordinatorHttp;

  constructor(http: CoordinatorHttp) {
    this.#http = http;
  }

  putModel(
    authority: string,
    model: string,
    body: PutModelBody,
    options: CallOptions,
  ): Promise<PutModelResponse> {
    const path = `${routerPath(authority)}/models/${encodeURIComponent(model)}`;
    return this.#http.call({ ...options, method: 'PUT', path, body, answer: putModelResponseSchema });
  }

  removeModel(authority: string, model: string, options: CallOptions): Promise<DeleteResponse> {
    const path = `${routerPath(authority)}/models/${encodeURIComponent(model)}`;
    return this.#http.call({ ...options, method: 'DELETE', path, answer: deleteResponseSchema });
  }

  putKey(authority: string, keyId: string, body: PutKeyBody, options: CallOptions): Promise<PutKeyResponse> {
    const path = `${routerPath(authority)}/api-keys/${encodeURIComponent(keyId)}`;
    return this.#http.call({ ...options, method: 'PUT', path, body, answer: putKeyResponseSchema });
  }

  removeKey(
    authority: string,
    keyId: string,
    strict: boolean,
    options: CallOptions,
  ): Promise<DeleteResponse> {
    const path = `${routerPath(authority)}/api-keys/${encodeURIComponent(keyId)}?strict=${strict}`;
    return this.#http.call({ ...options, method: 'DELETE', path, answer: deleteResponseSchema });
  }

  async putDeployment(
    item: EndpointItem,
    routes: RoutesItem,
    options: CallOptions,
  ): Promise<DeploymentSteps> {
    const created = await this.#http.call({
      ...options,
      method: 'POST',
      path: ENDPOINTS_PATH + REPORTED,
      body: { endpoints: [item] },
      answer: bulkCreateResponseSchema,
    });
    const routed = await this.#http.call({
      ...options,
      method: 'POST',
      path: `${ENDPOINTS_PATH}/routes${REPORTED}`,
      body: { endpoints: [routes] },
      answer: bulkOutcomesResponseSchema,
    });
    return {
      created: created.endpoints[0]?.propagation ?? null,
      routed: onlyOutcome(routed, 'routes replace').propagation ?? null,
    };
  }

  async removeDeployment(deploymentId: string, options: CallOptions): Promise<CircuitPropagation | null> {
    const answer = await this.#http.call({
      ...options,
      method: 'DELETE',
      path: ENDPOINTS_PATH + REPORTED,
      body: { endpoints: [{ deployment_id: deploymentId }] },
      answer: bulkOutcomesResponseSchema,
    });
    return onlyOutcome(answer, 'endpoint delete').propagation ?? null;
  }

  listModels(authority: string, options: CallOptions): Promise<ListModelsResponse> {
    const path = `${routerPath(authority)}/models`;
    return this.#http.call({ ...options, method: 'GET', path, answer: listModelsResponseSchema });
  }

  listKeys(authority: string, options: CallOptions): Promise<ListKeysResponse> {
    const path = `${routerPath(authority)}/api-keys`;
    return this.#http.call({ ...options, method: 'GET', path, answer: listKeysResponseSchema });
  }

  async listRouters(options: CallOptions): Promise<RouterWorker[]> {
    const answer = await this.#http.call({
      ...options,
      method: 'GET',
      path: '/api/worker',
      answer: workersResponseSchema,
    });
    return answer.workers.filter((worker) => worker.frontend_mode === 'router').map(toRouter);
  }

  async getRouter(workerId: string, options: CallOptions): Promise<RouterWorker> {
    const path = `/api/worker/${encodeURIComponent(workerId)}`;
    return toRouter(await this.#http.call({ ...options, method: 'GET', path, answer: workerResponseSchema }));
  }

  async listCircuits(workerId: string, options: CallOptions): Promise<Circuit[]> {
    const path = `/api/worker/${encodeURIComponent(workerId)}/circuits`;
    const answer = await this.#http.call({ ...options, method: 'GET', path, answer: circuitsResponseSchema });
    return answer.circuits;
  }
}

function routerPath(authority: string): string {
  return `/v2/routers/${encodeURIComponent(authority)}`;
}

/** Bulk calls answer 200 whatever became of their items. */
function onlyOutcome(answer: BulkOutcomesResponse, call: string): BulkOutcome {
  const [outcome] = answer.endpoints;
  if (outcome?.success) return outcome;
  throw new CoordinatorError('unavailable', `${call}: ${outcome?.error ?? 'no outcome'}`.slice(0, 400), {
    status: 200,
  });
}

function toRouter(worker: WorkerResponse): RouterWorker {
  const { id, authority, hostname, nodes } = worker;
  return { id, authority, hostname, nodes, nodeDetails: worker.node_details ?? [] };
}
