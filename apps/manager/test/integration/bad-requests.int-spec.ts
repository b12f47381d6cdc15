import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ApiClient } from '../support/api-client.js';
import type { Problem } from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

const ID = '00000000-0000-7000-8000-000000000000';

/** Every route of the API, as the OpenAPI document lists them. */
interface OpenApi {
  readonly paths: Record<
    string,
    Record<string, { readonly parameters?: readonly { readonly in: string; readonly name: string }[] }>
  >;
}

describe('whatever is sent to the API', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let routes: { method: string; path: string }[];

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    const { body } = await admin.get<OpenApi>('/openapi.json');
    routes = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/g, ID),
      })),
    );
  });
  afterAll(() => harness.dispose());

  const writing = () => routes.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method));

  it('documents the routes that it serves', () => {
    const served = routes.map(({ method, path }) => `${method} ${path}`);
    expect(served).toEqual(
      expect.arrayContaining([
        'POST /api/v1/projects',
        'POST /api/v1/deployments',
        `PUT /api/v1/deployments/${ID}/replicas`,
        'POST /api/v1/publications',
        `POST /api/v1/model-api-keys/${ID}/rotate`,
        'GET /api/v1/routers',
      ]),
    );
  });

  it('asks for a token on every route', async () => {
    for (const { method, path } of routes) {
      const answer = await harness.as(null).send<Problem>(method, path);
      expect([method, path, answer.status]).toEqual([method, path, 401]);
      expect(answer.body.code).toBe('auth.missing_token');
    }
  });

  it('answers 400 to JSON that is none, with the right media type and a request id', async () => {
    for (const { method, path } of writing()) {
      const answer = await admin.send<Problem>(method, path, '{"name": ');
      expect([method, path, answer.status]).toEqual([method, path, 400]);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
    }
  });

  it('answers 400 with field errors to bodies of the wrong shape', async () => {
    for (const { method, path } of writing()) {
      for (const body of [{ 'no-such-field': 1 }, [], '"text"', '7']) {
        const answer = await admin.send<Problem>(method, path, body);
        expect([method, path, body, answer.status]).toEqual([method, path, body, 400]);
      }
      const unknown = await admin.send<Problem>(method, path, { 'no-such-field': 1 });
      expect(unknown.body.errors?.map(({ field }) => field)).toContain('no-such-field');
    }
  });

  it.each(['%00', 'a%07b', `a${'b'.repeat(1_100)}`])(
    'answers 400 to the filter %s of every list',
    async (text) => {
      const { body } = await admin.get<OpenApi>('/openapi.json');
      const filters = Object.entries(body.paths).flatMap(([path, { get }]) =>
        (get?.parameters ?? [])
          .filter((parameter) => parameter.in === 'query' && !['limit', 'cursor'].includes(parameter.name))
          .map(({ name }) => `${path.replace(/\{\w+\}/g, ID)}?${name}=${text}`),
      );
      expect(filters.length).toBeGreaterThan(20);
      for (const path of filters) {
        expect([path, (await admin.get<Problem>(path)).status]).toEqual([path, 400]);
      }
    },
  );

  it.each(['{"a":"\\u0000"}', '{"a":["\\ud800"]}', '{"\\udfff":1}'])(
    'answers 400 to the JSON object %s, which no database could keep',
    async (policy) => {
      const body = `{"project_id":"${ID}","name":"x","policy":${policy}}`;
      const answer = await admin.post<Problem>('/api/v1/publications', body);
      expect([answer.status, answer.body.errors?.map(({ field }) => field)]).toEqual([400, ['policy']]);
    },
  );

  it('answers 415 to other content types and 413 to bodies over the limit', async () => {
    for (const { method, path } of writing()) {
      const typed = await admin.send<Problem>(method, path, '<x/>', {
        headers: { 'content-type': 'text/xml' },
      });
      expect([method, path, typed.status]).toEqual([method, path, 415]);
    }
    const large = await admin.post<Problem>('/api/v1/projects', { name: 'x'.repeat(1_100_000) });
    expect(large.status).toBe(413);
  });

  it('answers 404 to unknown paths and 405 with Allow to other methods', async () => {
    expect((await admin.get<Problem>('/api/v1/nothing')).body.code).toBe('request.not_found');
    const answer = await admin.put<Problem>('/api/v1/projects', {});
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toContain('POST');
  });

  it('answers 400 to ids that are none, and 404 to ids of nothing', async () => {
    for (const { method, path } of routes.filter((route) => route.path.includes(ID))) {
      const bad = await admin.send<Problem>(
        method,
        path.replace(ID, 'not-an-id'),
        method === 'GET' ? undefined : {},
      );
      expect([method, path, bad.status]).toEqual([method, path, 400]);
    }
    for (const { method, path } of routes.filter(
      (route) => route.path.includes(ID) && route.method === 'GET',
    )) {
      expect([path, (await admin.send(method, path)).status]).toEqual([path, 404]);
    }
  });

  it.each(['Bearer', 'Basic abc', 'Bearer \u00ff\u00fe', `Bearer ${'x'.repeat(600)}`, 'Bearer a b'])(
    'answers 401 to the Authorization value %j',
    async (authorization) => {
      const answer = await harness.as(null).get<Problem>('/api/v1/projects', { headers: { authorization } });
      expect(answer.status).toBe(401);
    },
  );

  it('serves its documentation from itself', async () => {
    const page = await fetch(`${harness.url}/docs`);
    const html = await page.text();
    expect(page.status).toBe(200);
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '');
    expect(assets.length).toBeGreaterThan(2);
    for (const asset of assets) {
      expect(asset).not.toMatch(/^(https?:)?\/\//);
      const answer = await fetch(new URL(asset, `${harness.url}/docs`));
      // An answer left unread would hold its connection, and the end of the suite with it.
      expect([asset, answer.status, (await answer.bytes()).length > 0]).toEqual([asset, 200, true]);
    }
  });

  it('answers probes and metrics without a token', async () => {
    expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${harness.url}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${harness.url}/metrics`)).text();
    expect(metrics).toContain('penstock_manager_outbox_entries');
    expect(metrics).toContain('penstock_http_requests_total');
  });
});
