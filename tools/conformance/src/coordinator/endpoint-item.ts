import { type Json, type JsonObject, textAt } from '../checking/json.js';
import type { Exchange } from '../mutation/mutation.js';

/** Parts of an endpoint that checks vary. */
export interface EndpointFields {
  readonly serviceName?: string;
  readonly existingUrl?: string | null;
  readonly openToPublic?: boolean;
  readonly healthCheck?: Json;
  /** Further fields of the item, as they are. */
  readonly more?: JsonObject;
}

export const USER = 'c0ffee00-7a1b-4c2d-9e3f-000000000777';
export const PROJECT = 'c0ffee00-7a1b-4c2d-9e3f-000000000888';

/** An item of the bulk create call, in the values of the vectors. */
export function endpointItem(id: string, fields: EndpointFields = {}): JsonObject {
  return { deployment_id: id, ...endpointBody(id, fields) };
}

/** The same without its id: body of the single create call. */
export function endpointBody(id: string, fields: EndpointFields = {}): JsonObject {
  const { serviceName = 'llama-a', existingUrl = null, openToPublic = false, healthCheck = null } = fields;
  return {
    version: 'v2',
    service_name: serviceName,
    tags: {
      session: { user_uuid: USER, project_id: PROJECT, domain_name: 'default' },
      endpoint: { id, runtime_variant: 'vllm', existing_url: existingUrl },
    },
    open_to_public: openToPublic,
    health_check: healthCheck,
    ...fields.more,
  };
}

/** Route of the call that creates endpoints. */
export const CREATE = 'POST /v2/endpoints/bulk';

/** True for creations whose first endpoint has this service name. */
export function named(serviceName: string): (exchange: Exchange) => boolean {
  return ({ sent }) => textAt(sent, 'endpoints.0.service_name') === serviceName;
}
