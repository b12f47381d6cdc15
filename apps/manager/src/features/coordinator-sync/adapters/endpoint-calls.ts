import {
  type BulkCreateResponse,
  bulkCreateResponseSchema,
  type BulkOutcome,
  bulkOutcomesResponseSchema,
  type BulkOutcomesResponse,
  type CircuitPropagation,
  type EndpointItem,
  type RoutesItem,
  tokenResponseSchema,
  toWireTimestamp,
} from '@penstock/protocol';
import { z } from 'zod';

import type { CallOptions, DeploymentSteps, EndpointsClient, TokenWish } from '../coordinator-client.port.js';
import { CoordinatorError } from '../coordinator.error.js';
import type { CoordinatorHttp } from './coordinator-http.js';

type CreatedEndpoint = BulkCreateResponse['endpoints'][number];

/** A route that exists, for an endpoint that does not. */
const OBJECT_NOT_FOUND = 'object-not-found';

/** What of the lineage is compared; ids of the coordinator's endpoints are those of the deployments. */
const lineageAnswerSchema = z.object({ upstream: z.string().nullable() });

const ENDPOINTS_PATH = '/v2/endpoints/bulk';
/** Makes the coordinator say what became of each announcement. */
const REPORTED = '?propagation=true';

/** Calls about endpoints: what the coordinator makes of deployments. */
export class EndpointCalls implements EndpointsClient {
  constructor(protected readonly http: CoordinatorHttp) {}

  async putDeployment(
    item: EndpointItem,
    routes: RoutesItem,
    options: CallOptions,
  ): Promise<DeploymentSteps> {
    const created = await this.#create(item, options);
    const routed = await this.http.call({
      ...options,
      method: 'POST',
      path: `${ENDPOINTS_PATH}/routes${REPORTED}`,
      body: { endpoints: [routes] },
      answer: bulkOutcomesResponseSchema,
    });
    return {
      created: created.propagation ?? null,
      routed: onlyOutcome(routed, 'routes replace').propagation ?? null,
      url: created.url,
    };
  }

  async urlOf(item: EndpointItem, options: CallOptions): Promise<string> {
    return (await this.#create(item, options)).url;
  }

  async mintToken(
    deploymentId: string,
    { userId, expiresAt }: TokenWish,
    options: CallOptions,
  ): Promise<string> {
    const { token } = await this.http.call({
      ...options,
      method: 'POST',
      path: `${endpointPath(deploymentId)}/token`,
      body: { user_uuid: userId, exp: toWireTimestamp(expiresAt) },
      answer: tokenResponseSchema,
    });
    return token;
  }

  async knowsVisibility(deploymentId: string, options: CallOptions): Promise<boolean> {
    try {
      await this.#lineage(deploymentId, options);
      return true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return error.problem === OBJECT_NOT_FOUND;
    }
  }

  async upstreamOf(deploymentId: string, options: CallOptions): Promise<string | null | undefined> {
    try {
      return (await this.#lineage(deploymentId, options)).upstream;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async removeDeployment(deploymentId: string, options: CallOptions): Promise<CircuitPropagation | null> {
    const answer = await this.http.call({
      ...options,
      method: 'DELETE',
      path: ENDPOINTS_PATH + REPORTED,
      body: { endpoints: [{ deployment_id: deploymentId }] },
      answer: bulkOutcomesResponseSchema,
    });
    return onlyOutcome(answer, 'endpoint delete').propagation ?? null;
  }

  #lineage(deploymentId: string, options: CallOptions) {
    const path = `${endpointPath(deploymentId)}/lineage`;
    return this.http.call({ ...options, method: 'GET', path, answer: lineageAnswerSchema });
  }

  async #create(item: EndpointItem, options: CallOptions): Promise<CreatedEndpoint> {
    const answer = await this.http.call({
      ...options,
      method: 'POST',
      path: ENDPOINTS_PATH + REPORTED,
      body: { endpoints: [item] },
      answer: bulkCreateResponseSchema,
    });
    const [created] = answer.endpoints;
    if (created !== undefined) return created;
    throw new CoordinatorError('unavailable', 'endpoint create: no outcome', { status: 200 });
  }
}

function isNotFound(error: unknown): error is CoordinatorError {
  return error instanceof CoordinatorError && error.status === 404;
}

function endpointPath(deploymentId: string): string {
  return `/v2/endpoints/${encodeURIComponent(deploymentId)}`;
}

/** Bulk calls answer 200 whatever became of their items. */
function onlyOutcome(answer: BulkOutcomesResponse, call: string): BulkOutcome {
  const [outcome] = answer.endpoints;
  if (outcome?.success) return outcome;
  throw new CoordinatorError('unavailable', `${call}: ${outcome?.error ?? 'no outcome'}`.slice(0, 400), {
    status: 200,
  });
}
