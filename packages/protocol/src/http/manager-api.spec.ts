import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { loadFixture } from '../../fixtures/load-fixture.js';
import {
  bulkCreateRequestSchema,
  bulkCreateResponseSchema,
  bulkDeleteRequestSchema,
  bulkOutcomesResponseSchema,
  createEndpointResponseSchema,
  endpointBodySchema,
  endpointItemSchema,
  tokenRequestSchema,
} from './endpoints.js';
import { putKeyBodySchema } from './model-api-key.js';
import {
  deleteResponseSchema,
  listKeysResponseSchema,
  listModelsResponseSchema,
  putKeyResponseSchema,
  putModelResponseSchema,
  wireErrorBodySchema,
} from './propagation.js';
import { putModelBodySchema } from './publication.js';
import {
  bulkRegisterResponseSchema,
  bulkRoutesRequestSchema,
  bulkUnregisterRequestSchema,
  bulkUnregisterResponseSchema,
  routesItemSchema,
} from './routes.js';

interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  readonly response?: unknown;
  readonly equivalent_to?: string;
}

interface Call {
  readonly call: RegExp;
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
}

const fixture = loadFixture<{
  readonly endpoints: readonly Exchange[];
  readonly routers: readonly Exchange[];
}>('manager-api');
const visibility = loadFixture<{ readonly reject: readonly { readonly input: object }[] }>('visibility');
const exchanges = [...fixture.endpoints, ...fixture.routers];

const calls: readonly Call[] = [
  { call: /^POST \/v2\/endpoints\/bulk$/, body: bulkCreateRequestSchema, response: bulkCreateResponseSchema },
  {
    call: /^DELETE \/v2\/endpoints\/bulk$/,
    body: bulkDeleteRequestSchema,
    response: bulkOutcomesResponseSchema,
  },
  { call: /\/bulk\/routes$/, body: bulkRoutesRequestSchema, response: bulkOutcomesResponseSchema },
  { call: /\/routes\/register$/, body: bulkRoutesRequestSchema, response: bulkRegisterResponseSchema },
  {
    call: /\/routes\/unregister$/,
    body: bulkUnregisterRequestSchema,
    response: bulkUnregisterResponseSchema,
  },
  { call: /\/token$/, body: tokenRequestSchema, response: wireErrorBodySchema },
  { call: /^POST \/v2\/endpoints\/[^/]+$/, body: endpointBodySchema, response: createEndpointResponseSchema },
  { call: /^GET .*nope\/models$/, response: wireErrorBodySchema },
  { call: /^GET .*\/models$/, response: listModelsResponseSchema },
  { call: /^GET .*\/api-keys$/, response: listKeysResponseSchema },
  { call: /^PUT .*\/models\//, body: putModelBodySchema, response: putModelResponseSchema },
  { call: /^PUT .*\/api-keys\//, body: putKeyBodySchema, response: putKeyResponseSchema },
  { call: /^DELETE .*\/(models|api-keys)\//, response: deleteResponseSchema },
];

function callOf({ method, path }: Exchange): Call {
  const found = calls.find(({ call }) => call.test(`${method} ${path}`));
  if (found === undefined) throw new Error(`no schema for ${method} ${path}`);
  return found;
}

describe.each(exchanges)('$name', (exchange) => {
  const { body, response, status } = exchange;
  const schemas = callOf(exchange);

  if (body !== undefined) {
    it(status === 400 ? 'has a body that is refused' : 'has a body that is read', () => {
      expect(schemas.body?.safeParse(body).success).toBe(status !== 400);
    });
  }

  if (response !== undefined) {
    it('has an answer that is read unchanged', () => {
      expect(schemas.response.parse(response)).toEqual(response);
    });
  }
});

describe('endpoint items', () => {
  it('mean the same under the names of older managers', () => {
    const legacy = exchanges.find(({ equivalent_to }) => equivalent_to !== undefined);
    const current = exchanges.find(({ name }) => name === legacy?.equivalent_to);
    expect(bulkCreateRequestSchema.parse(legacy?.body)).toStrictEqual(
      bulkCreateRequestSchema.parse(current?.body),
    );
  });

  it('tell an absent additive field from a cleared one', () => {
    const deployment_id = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';
    expect(routesItemSchema.parse({ deployment_id, routes: [] })).not.toHaveProperty('replica_groups');
    const cleared = routesItemSchema.parse({ deployment_id, routes: [], replica_groups: null, policy: null });
    expect(cleared).toMatchObject({ replica_groups: null, policy: null });
  });
});

describe('access fields', () => {
  const deployment_id = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';
  const tags = {
    session: { user_uuid: 'u', project_id: 'p', domain_name: 'd' },
    endpoint: { id: deployment_id },
  };
  const item = { deployment_id, service_name: 'llama', tags };
  const given = {
    visibility: 'INTERNAL',
    requires_token: true,
    allowed_client_ips: '10.0.0.0/8, 192.0.2.7',
    upstream_endpoint_id: deployment_id,
  };
  const read = { ...given, visibility: 'internal' };

  it('are read from creations and from route pushes, and stay away where they are absent', () => {
    expect(endpointItemSchema.parse({ ...item, ...given })).toMatchObject(read);
    expect(routesItemSchema.parse({ deployment_id, routes: [], ...given })).toMatchObject(read);
    for (const field of Object.keys(given)) {
      expect(endpointItemSchema.parse(item)).not.toHaveProperty(field);
      expect(routesItemSchema.parse({ deployment_id, routes: [] })).not.toHaveProperty(field);
    }
  });

  it.each(visibility.reject)('refuse the contradiction $input', ({ input }) => {
    const result = endpointItemSchema.safeParse({ ...item, ...input });
    expect(result.error?.issues.map(({ path }) => path)).toEqual([['open_to_public']]);
    const { deployment_id: _id, ...body } = item;
    expect(endpointBodySchema.safeParse({ ...body, ...input }).success).toBe(false);
  });

  it.each([
    ['a visibility that there is not', { visibility: 'cluster' }],
    ['an address that is none', { allowed_client_ips: '10.0.0.0/8,bogus' }],
    ['a list longer than the column', { allowed_client_ips: '10.0.0.1,'.repeat(29) }],
    ['an upstream that is no id', { upstream_endpoint_id: 'llama' }],
  ])('refuse %s', (_what, change) => {
    expect(endpointItemSchema.safeParse({ ...item, ...change }).success).toBe(false);
    expect(routesItemSchema.safeParse({ deployment_id, routes: [], ...change }).success).toBe(false);
  });
});

describe('putModelBodySchema', () => {
  const endpoint_id = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';

  it.each([
    ['an endpoint twice', { mappings: [{ endpoint_id }, { endpoint_id: endpoint_id.toUpperCase() }] }],
    ['a ratio that is no number', { mappings: [{ endpoint_id, ratio: 'NaN' }] }],
    ['an infinite ratio', { mappings: [{ endpoint_id, ratio: Infinity }] }],
    ['a ratio whose sums overflow', { mappings: [{ endpoint_id, ratio: 1e308 }] }],
    ['an empty alias', { aliases: [''] }],
    ['an unknown control mode', { control_mode: 'automatic' }],
  ])('refuses %s', (_what, body) => {
    expect(putModelBodySchema.safeParse(body).success).toBe(false);
  });

  it('counts a repeated alias once and defaults the rest', () => {
    expect(
      putModelBodySchema.parse({ aliases: ['a', 'b', 'a'], 'control-mode': 'strategy-managed' }),
    ).toEqual({
      aliases: ['a', 'b'],
      mappings: [],
      control_mode: 'strategy_managed',
    });
  });
});

describe('putKeyBodySchema', () => {
  const token_hash = 'a'.repeat(64);

  it.each([
    ['a rate of zero', { rate_limit: 0 }],
    ['half a request', { rate_limit: 1.5 }],
    ['an address that is none', { allowed_client_ips: ['10.0.0.0/8', 'bogus'] }],
    ['a time without zone', { expires_at: '2027-01-01T00:00:00' }],
  ])('refuses %s', (_what, change) => {
    expect(putKeyBodySchema.safeParse({ token_hash, ...change }).success).toBe(false);
  });
});
