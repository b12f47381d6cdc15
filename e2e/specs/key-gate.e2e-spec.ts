import { createServer, type Server } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { call, type Answer } from '../support/http.ts';
import { unique } from '../support/manager-api.ts';
import { ModelFixture } from '../support/model-fixture.ts';
import { bearer, type OpenAiError } from '../support/router-api.ts';
import { sharedStack } from '../support/shared-stack.ts';

const stack = sharedStack();
let fixture: ModelFixture;
let ungranted: string;
let empty: string;
let unreachable: string;

beforeAll(async () => {
  fixture = await ModelFixture.create(stack, [{ ratio: 1, replicas: 1 }]);
  const { manager, projectId, deployments } = fixture;
  const deploymentId = deployments[0]?.id ?? '';
  [ungranted, empty, unreachable] = [unique('ungranted'), unique('empty'), unique('unreachable')];
  await manager.publish(projectId, ungranted, [{ deployment_id: deploymentId, ratio: 1 }]);
  const nothing = await manager.createDeployment(projectId, 'served', []);
  await manager.publish(projectId, empty, [{ deployment_id: nothing.id, ratio: 1 }]);
  const gone = await manager.createDeployment(projectId, 'served', [
    { host: '127.0.0.1', port: await closedPort() },
  ]);
  await manager.publish(projectId, unreachable, [{ deployment_id: gone.id, ratio: 1 }]);
});
afterAll(() => fixture.stop());

/** Nobody listens there a moment after it was free. */
function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server: Server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 1));
    });
  });
}

async function keyFor(models: readonly string[], extra: object = {}): Promise<string> {
  const { key } = await fixture.manager.issueKey(fixture.projectId, models, extra);
  return key;
}

function expectError(answer: Answer<OpenAiError>, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json?.error?.code }).toEqual({ status, code });
  expect(answer.json.error.message.length).toBeGreaterThan(10);
  expect(typeof answer.json.error.type).toBe('string');
  expect(answer.json.error).toHaveProperty('param');
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['x-request-id']).toMatch(/^req_/);
}

describe('the key gate', () => {
  it('401 missing_api_key without a key', async () => {
    expectError(await fixture.router.chat(null, fixture.name), 401, 'missing_api_key');
  });

  it('401 invalid_api_key for an unknown key, a hash, and an endpoint token', async () => {
    for (const key of ['sk-nope', 'a'.repeat(64), 'eyJhbGciOiJIUzI1NiJ9.e30.x'])
      expectError(await fixture.router.chat(key, fixture.name), 401, 'invalid_api_key');
  });

  it('401 expired_api_key from the moment it expires', async () => {
    const expiresAt = new Date(Date.now() + 1_500).toISOString();
    const key = await keyFor([fixture.name], { expires_at: expiresAt });
    await eventually(async () => {
      expectError(await fixture.router.chat(key, fixture.name), 401, 'expired_api_key');
    });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  it('403 client_ip_not_allowed outside the networks of the key', async () => {
    const key = await keyFor([fixture.name], { allowed_client_ips: ['192.0.2.0/24'] });
    await eventually(async () => {
      expectError(await fixture.router.chat(key, fixture.name), 403, 'client_ip_not_allowed');
    });
  });

  it('429 rate_limit_exceeded with Retry-After above the rate of the key', async () => {
    const key = await keyFor([fixture.name], { rate_limit: 2 });
    await eventually(async () => {
      const answer = await fixture.router.chat(key, fixture.name);
      expectError(answer, 429, 'rate_limit_exceeded');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    });
  });

  it('404 model_not_found for a name nobody published', async () => {
    expectError(await fixture.router.chat(fixture.key, 'no/such model'), 404, 'model_not_found');
  });

  it('403 model_not_allowed for a published name the key was not granted', async () => {
    await eventually(async () => {
      expectError(await fixture.router.chat(fixture.key, ungranted), 403, 'model_not_allowed');
    });
  });

  it('503 model_unavailable when nothing can serve the name, which stays listed', async () => {
    const key = await keyFor([empty]);
    await eventually(async () => {
      expectError(await fixture.router.chat(key, empty), 503, 'model_unavailable');
    });
    expect(await fixture.router.listModels(key)).toEqual([empty]);
  });

  it('502 upstream_error when every replica refuses the connection', async () => {
    const key = await keyFor([unreachable]);
    await eventually(async () => {
      expectError(await fixture.router.chat(key, unreachable), 502, 'upstream_error');
    });
  });

  it('takes the key as Bearer in any case and as x-api-key', async () => {
    const url = `${fixture.router.baseUrl}/models`;
    const forms: Record<string, string>[] = [
      { authorization: `bEaReR ${fixture.key}` },
      { 'x-api-key': fixture.key },
    ];
    for (const headers of forms) expect((await call(url, { headers })).status).toBe(200);
  });

  it('asks in order: expiry before rate before model', async () => {
    const key = await keyFor([fixture.name], { rate_limit: 1 });
    await eventually(async () => {
      expectError(await fixture.router.chat(key, 'no-such-model'), 429, 'rate_limit_exceeded');
    });
  });

  it('a rotated key works and its predecessor does not', async () => {
    const issued = await fixture.manager.issueKey(fixture.projectId, [fixture.name]);
    const rotated = await fixture.manager.rotateKey(issued.id);
    for (const router of fixture.routers) {
      await eventually(async () => expect((await router.chat(rotated.key, fixture.name)).status).toBe(200));
      expectError(await router.chat(issued.key, fixture.name), 401, 'invalid_api_key');
    }
  });

  it('answers a CORS preflight without a key', async () => {
    const answer = await call(`${fixture.router.baseUrl}/chat/completions`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,x-stainless-os',
      },
    });
    expect([200, 204]).toContain(answer.status);
    expect(answer.headers['access-control-allow-origin']).toBeDefined();
    expect(String(answer.headers['access-control-allow-headers'])).toContain('x-stainless-os');
  });

  it('errors can be read by browsers too', async () => {
    const answer = await call(`${fixture.router.baseUrl}/models`, {
      headers: { ...bearer('sk-nope'), origin: 'https://app.example' },
    });
    expect([answer.status, answer.headers['access-control-allow-origin'] !== undefined]).toEqual([401, true]);
  });
});
