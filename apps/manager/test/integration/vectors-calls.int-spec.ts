import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';
import { readFileSync } from 'node:fs';

import type { ApiClient } from '../support/api-client.js';
import { issueKey, makeDeployment, makeProject, makePublication, unique } from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';
import type { SeenRequest } from '../support/scripted-coordinator.js';

interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly body?: unknown;
  readonly response?: unknown;
}

const FIXTURE = new URL('../../../../packages/protocol/fixtures/manager-api.json', import.meta.url);
const vectors = JSON.parse(readFileSync(FIXTURE, 'utf8')) as {
  readonly headers: Readonly<Record<string, string>>;
  readonly endpoints: readonly Exchange[];
  readonly routers: readonly Exchange[];
};

/** Which call of a running manager is the one of the vector, whatever the ids in its path are. */
const CALLS: Readonly<Record<string, RegExp>> = {
  'create-bulk': /^POST \/v2\/endpoints\/bulk(\?|$)/,
  'routes-replace': /^POST \/v2\/endpoints\/bulk\/routes(\?|$)/,
  'routes-replace-with-groups': /^POST \/v2\/endpoints\/bulk\/routes(\?|$)/,
  'delete-bulk': /^DELETE \/v2\/endpoints\/bulk(\?|$)/,
  'mint-token': /^POST \/v2\/endpoints\/[^/]+\/token$/,
  'put-model': /^PUT \/v2\/routers\/[^/]+\/models\//,
  'delete-model': /^DELETE \/v2\/routers\/[^/]+\/models\//,
  'put-key': /^PUT \/v2\/routers\/[^/]+\/api-keys\//,
  'delete-key-strict-confirmed': /^DELETE \/v2\/routers\/[^/]+\/api-keys\/[^/]+\?strict=true/,
};

function vector(name: string): Exchange {
  const found = [...vectors.endpoints, ...vectors.routers].find((exchange) => exchange.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
}

/** Everything the vector's body has is there, of the same kind; what is more is ours. */
function expectShape(ours: unknown, theirs: unknown, path = 'body'): void {
  // Null is a value of these fields; a field that is not there is not.
  if (theirs === null || ours === null) return;
  expect({ path, type: kindOf(ours) }).toEqual({ path, type: kindOf(theirs) });
  if (Array.isArray(theirs)) {
    if (theirs.length > 0) expectShape((ours as unknown[])[0], theirs[0], `${path}[0]`);
  } else if (typeof theirs === 'object') {
    for (const [key, value] of Object.entries(theirs)) {
      expectShape((ours as Readonly<Record<string, unknown>>)[key], value, `${path}.${key}`);
    }
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

describe('the calls of a running manager', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    const projectId = await makeProject(admin);
    const group = (name: string, port: number) => ({
      ...{ name, traffic_weight: 50, lifecycle: 'stable' },
      replicas: [{ host: '10.20.0.11', port, weight: 1 }],
    });
    const deployment = await makeDeployment(admin, projectId, {
      ...{
        runtime_variant: 'vllm',
        replicas: undefined,
        replica_groups: [group('a', 30_011), group('b', 30_012)],
      },
    });
    const name = unique('model');
    const mappings = [{ deployment_id: deployment.id, ratio: 1 }];
    const publication = await makePublication(admin, projectId, {
      ...{ name, mappings, aliases: [`${name}-alias`] },
    });
    const key = await issueKey(admin, projectId, [name], {
      expires_at: '2099-01-01T00:00:00Z',
      rate_limit: 600,
      allowed_client_ips: ['10.0.0.0/8'],
    });
    await admin.post(`/api/v1/deployments/${deployment.id}/tokens`, {});
    await admin.delete(`/api/v1/model-api-keys/${key.id}?strict=true`);
    await admin.delete(`/api/v1/publications/${publication.id}`);
    await admin.delete(`/api/v1/deployments/${deployment.id}`);
    await eventually(() => expect(sent('delete-bulk')).toBeDefined());
  });

  afterAll(() => harness.dispose());

  const sent = (name: string): SeenRequest | undefined =>
    harness.coordinator.requestsTo(CALLS[name] ?? /$^/).at(-1);

  it.each(Object.keys(CALLS))('%s has the method, the secret and the fields of the vector', (name) => {
    const request = sent(name);
    const { method, body } = vector(name);
    expect(request?.method).toBe(method);
    expect(request?.headers).toHaveProperty('x-backendai-token');
    if (body !== undefined) expectShape(request?.body, body);
  });
});
