import { describe, expect, it } from '@jest/globals';

import { CoordinatorApi } from '../support/coordinator-api.ts';
import { call, type Answer, type Call } from '../support/http.ts';
import { ManagerApi } from '../support/manager-api.ts';
import { sendRaw, statusOf } from '../support/raw-http.ts';
import { sharedStack } from '../support/shared-stack.ts';

const stack = sharedStack();
const manager = new ManagerApi(stack.info);
const coordinator = new CoordinatorApi(stack.info);
const NOWHERE = '00000000-0000-4000-8000-000000000000';

interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly hasBody: boolean;
}

/** Bodies that no route takes, whatever it expects. */
const BAD_BODIES: readonly (string | Buffer)[] = [
  '',
  '{',
  'null',
  '[]',
  '7',
  '"text"',
  '{"surprise":true,"__proto__":{"x":1}}',
  Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  `{"name":"\\u0000","project_id":"\\ud800","mappings":{},"endpoints":7}`,
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
];
const BAD_IDS = ['no-uuid', '%00', '%2F..%2F', '%F0%9F%9A%B0', 'x'.repeat(1_500), '%E0%A4%A'];

/** Every route of the coordinator that takes input. */
const COORDINATOR_ROUTES: readonly Route[] = [
  ['PUT', '/api/worker', true],
  ['GET', '/api/worker/{id}', false],
  ['PATCH', '/api/worker/{id}', true],
  ['DELETE', '/api/worker/{id}', false],
  ['GET', '/api/worker/{id}/circuits', false],
  ['GET', '/api/worker/{id}/router-config', false],
  ['GET', '/api/circuit/{id}', false],
  ['GET', '/api/circuit/{id}/statistics', false],
  ['DELETE', '/api/circuit/{id}', false],
  ['POST', '/v2/endpoints/bulk', true],
  ['POST', '/v2/endpoints/bulk/routes', true],
  ['POST', '/v2/endpoints/bulk/routes/register', true],
  ['POST', '/v2/endpoints/bulk/routes/unregister', true],
  ['POST', '/v2/endpoints/{id}', true],
  ['PUT', '/v2/endpoints/{id}/health-check', true],
  ['DELETE', '/v2/endpoints/bulk', true],
  ['GET', '/v2/routers/{id}/models', false],
  ['PUT', '/v2/routers/{id}/models/{id}', true],
  ['DELETE', '/v2/routers/{id}/models/{id}', false],
  ['GET', '/v2/routers/{id}/api-keys', false],
  ['PUT', '/v2/routers/{id}/api-keys/{id}', true],
  ['DELETE', '/v2/routers/{id}/api-keys/{id}', false],
].map(([method, path, hasBody]) => ({ method, path, hasBody }) as Route);

async function managerRoutes(): Promise<Route[]> {
  const { json } = await call<{ paths: Record<string, Record<string, { requestBody?: object }>> }>(
    `${stack.info.manager_url}/openapi.json`,
  );
  return Object.entries(json.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({
      method: method.toUpperCase() as Route['method'],
      path: path.replace('/api/v1', ''),
      hasBody: requestBody !== undefined,
    })),
  );
}

function pathOf({ path }: Route, id: string): string {
  return path.replaceAll(/\{\w+\}/g, id);
}

/** A refusal is a 4xx with a body that says something; a success would mean that the input was not bad. */
function expectRefusal(what: string, answer: Answer): void {
  expect({ what, status: answer.status, text: answer.text.slice(0, 200) }).toEqual({
    what,
    status: expect.any(Number),
    text: expect.stringMatching(/.{10,}/s),
  });
  if (answer.status < 400 || answer.status > 499)
    throw new Error(`${what} answered ${answer.status}: ${answer.text}`);
}

type Send = (path: string, options: Call) => Promise<Answer>;

async function expectRefusals(send: Send, routes: readonly Route[]): Promise<void> {
  for (const route of routes) {
    const { method } = route;
    for (const id of route.path.includes('{') ? BAD_IDS : []) {
      const body = route.hasBody ? { body: '{}' } : {};
      expectRefusal(
        `${method} ${pathOf(route, id).slice(0, 80)}`,
        await send(pathOf(route, id), { method, ...body }),
      );
    }
    for (const body of route.hasBody ? BAD_BODIES : []) {
      const what = `${method} ${route.path} with ${body.toString().slice(0, 40)}`;
      expectRefusal(what, await send(pathOf(route, NOWHERE), { method, body }));
    }
  }
}

/** Whatever is not offered at a path is 405 with a list of what is. */
async function expectMethodRefusals(send: Send, routes: readonly Route[]): Promise<void> {
  for (const path of new Set(routes.map((route) => route.path))) {
    const offered = routes.filter((route) => route.path === path).map(({ method }) => method);
    const wrong = (['PUT', 'PATCH', 'POST'] as const).find((method) => !offered.includes(method)) ?? 'DELETE';
    const answer = await send(path.replaceAll(/\{\w+\}/g, NOWHERE), { method: wrong, body: '{}' });
    expect({ path, wrong, status: answer.status }).toEqual({ path, wrong, status: 405 });
    const allowed = String(answer.headers['allow']).split(/,\s*/);
    expect({ path, allowed }).toEqual({ path, allowed: expect.arrayContaining(offered) });
  }
}

/** A JSON body of exactly so many bytes, which no route would take. */
function bodyOf(bytes: number): string {
  const wrapping = '{"x":""}';
  return `{"x":"${'y'.repeat(bytes - wrapping.length)}"}`;
}

async function expectLimit(send: Send, path: string, limitBytes: number): Promise<void> {
  const statuses = [];
  for (const bytes of [limitBytes - 1, limitBytes, limitBytes + 1])
    statuses.push((await send(path, { method: 'POST', body: bodyOf(bytes) })).status);
  expect(statuses).toEqual([expect.any(Number), expect.any(Number), 413]);
  for (const status of statuses.slice(0, 2)) expect([400, 422]).toContain(status);
}

describe('every route of the manager', () => {
  it('refuses bad ids and bodies with a 4xx that says why', async () => {
    const routes = await managerRoutes();
    expect(routes.length).toBeGreaterThan(30);
    // Bodies that may be empty, such as that of a rotation, meet an object that does not exist.
    await expectRefusals((path, options) => manager.raw(path, options), routes);
  }, 60_000);

  it('refuses callers without a token before it judges their input', async () => {
    for (const route of await managerRoutes()) {
      const url = `${stack.info.manager_url}/api/v1${pathOf(route, NOWHERE)}`;
      const answer = await call(url, { method: route.method, ...(route.hasBody && { body: '{}' }) });
      expect({ route, status: answer.status }).toEqual({ route, status: 401 });
    }
  });
});

describe('every route of the manager that takes a body', () => {
  interface Problem {
    readonly errors?: readonly { readonly field: string; readonly message: string }[];
  }
  const takesBody = async () => (await managerRoutes()).filter(({ hasBody }) => hasBody);

  it('names the field it does not know or want', async () => {
    for (const route of await takesBody()) {
      const { method } = route;
      const answer = await manager.raw<Problem>(pathOf(route, NOWHERE), { method, body: { surprise: 1 } });
      const what = `${method} ${route.path}: ${answer.status}`;
      expect({ what, errors: answer.json.errors }).toEqual({
        what,
        errors: expect.arrayContaining([
          expect.objectContaining({ field: expect.any(String), message: expect.any(String) }),
        ]),
      });
    }
  });

  it('refuses other types than JSON', async () => {
    for (const route of await takesBody()) {
      const headers = { 'content-type': 'text/csv' };
      const { status } = await manager.raw(pathOf(route, NOWHERE), {
        method: route.method,
        body: 'a,b',
        headers,
      });
      expect({ route, status }).toEqual({ route, status: 415 });
    }
  });
});

describe('every route of the coordinator that takes a body', () => {
  interface Problem {
    readonly data?: { readonly errors?: readonly object[] };
  }

  it('names the fields that are wrong', async () => {
    const body = { mappings: [{ endpoint_id: 'no' }], token_hash: 'no', health_check: 1, endpoints: 7 };
    for (const route of COORDINATOR_ROUTES.filter(({ method, hasBody }) => hasBody && method !== 'PATCH')) {
      const answer = await coordinator.raw<Problem>(pathOf(route, NOWHERE), { method: route.method, body });
      const what = `${route.method} ${route.path}: ${answer.status}`;
      expect({ what, named: (answer.json.data?.errors?.length ?? 0) > 0 }).toEqual({ what, named: true });
    }
  });
});

describe('every route of the coordinator', () => {
  it('refuses bad ids and bodies with a 4xx that says why', async () => {
    await expectRefusals((path, options) => coordinator.raw(path, options), COORDINATOR_ROUTES);
  }, 60_000);

  it('refuses callers without the secret', async () => {
    for (const route of COORDINATOR_ROUTES) {
      const url = `${stack.info.coordinator_url}${pathOf(route, NOWHERE)}`;
      const answer = await call(url, { method: route.method, ...(route.hasBody && { body: '{}' }) });
      expect({ route, status: answer.status }).toEqual({ route, status: 401 });
    }
  });
});

describe('both control APIs', () => {
  it.each(['manager_url', 'coordinator_url'] as const)(
    '%s survives header floods and broken HTTP',
    async (name) => {
      const url = stack.info[name];
      const flood = Array.from(
        { length: 5_000 },
        (_, index) => `x-flood-${index}: ${'y'.repeat(64)}\r\n`,
      ).join('');
      for (const rest of [
        flood,
        'content-length: 1\r\ncontent-length: 2\r\n',
        'authorization: Bearer \x01\xff\r\n',
      ]) {
        const bytes = Buffer.from(
          `GET /api/v1/projects HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${rest}\r\n`,
          'latin1',
        );
        const status = statusOf(await sendRaw(url, bytes));
        expect({ rest: rest.slice(0, 30), ok: status >= 400 && status < 500 }).toMatchObject({ ok: true });
      }
      expect((await call(`${url}${name === 'manager_url' ? '/healthz' : '/health/livez'}`)).status).toBe(200);
    },
  );

  it('refuse a body one byte above their limit with 413, and read one at the limit', async () => {
    await expectLimit((path, options) => manager.raw(path, options), '/projects', 1024 * 1024);
    await expectLimit(
      (path, options) => coordinator.raw(path, options),
      '/v2/endpoints/bulk',
      32 * 1024 * 1024,
    );
  }, 60_000);

  it('answer a method nobody offers with 405 and those there are', async () => {
    await expectMethodRefusals((path, options) => manager.raw(path, options), await managerRoutes());
    await expectMethodRefusals((path, options) => coordinator.raw(path, options), COORDINATOR_ROUTES);
  });
});
