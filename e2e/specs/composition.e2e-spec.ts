import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { CoordinatorApi } from '../support/coordinator-api.ts';
import { EndpointClient } from '../support/endpoint-client.ts';
import { EndpointFixture, hostOf, type Deployment } from '../support/endpoint-fixture.ts';
import { Gateway } from '../support/gateway.ts';
import { unique } from '../support/manager-api.ts';
import { RouterApi } from '../support/router-api.ts';
import { Stack } from '../support/stack.ts';

const ROTATION_S = 2;

interface ServiceEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  readonly expires_at: string;
}

/** A stack for model keys whose first router also has a listener that only the cluster reaches. */
let stack: Stack;
let endpoints: EndpointFixture;
let upstream: Deployment;
let downstream: Deployment;
let gateway: Gateway;

/** The manager writes token files here. */
const directory = join(tmpdir(), unique('penstock-environment'));

beforeAll(async () => {
  const settings = [
    `manager.service_environment.directory=${directory}`,
    'manager.upstream_token.rotation_check_interval_ms=100',
  ];
  stack = await Stack.start([
    ...['--internal', '--no-demo', '--routers', '1'],
    ...settings.flatMap((setting) => ['--set', setting]),
  ]);
  endpoints = await EndpointFixture.create(stack);
  upstream = await endpoints.deploy({ visibility: 'internal' });
  gateway = await Gateway.start(String(stack.info.routers[0]?.internal_url));
  downstream = await endpoints.deploy({
    served_model: 'guarded',
    replicas: [{ host: '127.0.0.1', port: gateway.port }],
  });
  const bound = await endpoints.manager.raw(`/deployments/${downstream.id}/upstream`, {
    method: 'PUT',
    body: { upstream_deployment_id: upstream.id, rotation_interval_s: ROTATION_S },
  });
  expect([bound.status, bound.text]).toEqual([200, expect.anything()]);
}, 300_000);
afterAll(async () => {
  await gateway.stop();
  await endpoints.stop();
  await stack.remove();
  rmSync(directory, { recursive: true, force: true });
}, 120_000);

const environment = async () =>
  (await endpoints.manager.raw<ServiceEnvironment>(`/deployments/${downstream.id}/service-environment`)).json;

describe('a public deployment that calls an internal one', () => {
  it('is given the address and a token of its upstream, also as a file', async () => {
    const { variables } = await environment();
    expect(variables['BACKENDAI_UPSTREAM_URL']).toBe(upstream.url);
    const file = variables['BACKENDAI_UPSTREAM_TOKEN_FILE'] ?? '';
    await eventually(async () => {
      const { variables: now } = await environment();
      expect(readFileSync(file, 'utf8').trim()).toBe(now['BACKENDAI_UPSTREAM_TOKEN']);
    });
    gateway.upstream = { host: hostOf(upstream), tokenFile: file };
  });

  it('serves while its token is rotated, without one failed call; the old token dies', async () => {
    const { manager, projectId } = endpoints;
    const name = unique('guarded');
    await manager.publish(projectId, name, [{ deployment_id: downstream.id, ratio: 1 }]);
    const { key } = await manager.issueKey(projectId, [name]);
    const router = new RouterApi(stack.info.routers[0] ?? { base_url: '', admin_url: '' });
    await eventually(async () => expect((await router.chat(key, name)).status).toBe(200));
    const first = (await environment()).variables['BACKENDAI_UPSTREAM_TOKEN'] ?? '';
    const direct = new EndpointClient(String(stack.info.routers[0]?.internal_url), hostOf(upstream));
    expect((await direct.chat(first)).status).toBe(200);
    const seen = new Set<string>();
    const statuses = new Map<number, number>();
    let firstIsDead = false;
    while (seen.size < 4 || !firstIsDead) {
      const { status } = await router.chat(key, name);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      seen.add((await environment()).variables['BACKENDAI_UPSTREAM_TOKEN'] ?? '');
      firstIsDead = (await direct.chat(first)).status === 401;
    }
    expect([...statuses.keys()]).toEqual([200]);
  }, 60_000);

  it('shows in the lineage of both, and keeps its upstream from being deleted', async () => {
    const { manager } = endpoints;
    const lineage = await manager.raw(`/deployments/${upstream.id}/lineage`);
    expect(lineage.json).toMatchObject({ upstream: null, downstreams: [downstream.id] });
    const refusal = await manager.raw<{ detail: string }>(`/deployments/${upstream.id}`, {
      method: 'DELETE',
    });
    expect(refusal.status).toBe(409);
    expect(refusal.json.detail).toContain(downstream.id);
  });

  it('leaves an audit entry for binding and for each rotation', async () => {
    const path = `/audit-logs?target_id=${downstream.id}`;
    const { json } = await endpoints.manager.raw<{ items: { action: string }[] }>(path);
    const actions = json.items.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['deployment.bind', 'deployment.rotate']));
  });
});

describe('an internal deployment', () => {
  it('answers on the internal listener, with its token only', async () => {
    const client = new EndpointClient(String(stack.info.routers[0]?.internal_url), hostOf(upstream));
    expect((await client.chat(await endpoints.mint(upstream.id))).status).toBe(200);
    expect((await client.chat(null)).json.error.code).toBe('E20006');
    expect((await client.chat(await endpoints.mint(downstream.id))).json.error.code).toBe('E20009');
  });

  it('is on no public listener: not by any host, path, method or credential', async () => {
    const token = await endpoints.mint(upstream.id);
    const { host, hostname } = new URL(upstream.url);
    const label = hostname.split('.')[0] ?? '';
    const own = [host, hostname, hostname.toUpperCase(), `${hostname}.`, label, `${label}.localhost`];
    const hosts = [...own, '127.0.0.1', 'internal.localhost'];
    const paths = [
      '/',
      '/v1/models',
      '/v1/chat/completions',
      '/v1/completions',
      '/v1/embeddings',
      '/v1/models/endpoint-model',
      '/health',
      '/metrics',
      `/${label}`,
    ];
    for (const [name, path, method] of combinations(hosts, paths, ['GET', 'POST', 'OPTIONS'] as const)) {
      const client = new EndpointClient(String(stack.info.base_url), name);
      const options =
        method === 'POST' ? { method, body: { model: 'endpoint-model', messages: [] } } : { method };
      const answer = await client.send(path, token, options);
      expect([name, path, method, answer.text.includes('endpoint-model')]).toEqual([
        name,
        path,
        method,
        false,
      ]);
      if (method !== 'OPTIONS')
        expect([name, path, method, answer.status >= 400]).toEqual([name, path, method, true]);
    }
  });

  it('cannot be published, and cannot become internal while it is', async () => {
    const { manager, projectId } = endpoints;
    const body = {
      project_id: projectId,
      name: unique('leak'),
      mappings: [{ deployment_id: upstream.id, ratio: 1 }],
    };
    expect((await manager.raw('/publications', { body })).status).toBe(400);
    const patch = { method: 'PATCH', body: { visibility: 'internal' } } as const;
    expect((await manager.raw(`/deployments/${downstream.id}`, patch)).status).toBe(409);
  });

  it('is placed on no worker without an internal frontend, not even on one that joins later', async () => {
    const plain = unique('plain');
    const join = () => registerPlainRouter(plain);
    const { id } = await join();
    const refused = await endpoints.deploy({ visibility: 'internal', authority: plain });
    expect(refused.propagation.status).toBe('deferred');
    const free = await endpoints.deploy({ visibility: 'internal' });
    expect(hostOf(free)).toContain('.internal.localhost');
    await join();
    const hosted = await coordinator<{ circuits: object[] }>(`/api/worker/${id}/circuits`);
    expect(hosted.circuits).toEqual([]);
    await coordinator(`/api/worker/${id}`, { method: 'DELETE' });
  });
});

function combinations<A, B, C>(first: readonly A[], second: readonly B[], third: readonly C[]): [A, B, C][] {
  return first.flatMap((a) => second.flatMap((b) => third.map((c): [A, B, C] => [a, b, c])));
}

async function coordinator<T>(
  path: string,
  options: { method?: 'PUT' | 'DELETE'; body?: object } = {},
): Promise<T> {
  return (await new CoordinatorApi(stack.info).raw<T>(path, options)).json;
}

function registerPlainRouter(authority: string): Promise<{ id: string }> {
  const body = {
    ...{ authority, frontend_mode: 'router', protocol: 'http', hostname: '127.0.0.1', api_port: 1 },
    ...{
      tls_listen: false,
      tls_advertised: false,
      filtered_apps_only: false,
      accepted_traffics: ['inference'],
    },
  };
  return coordinator('/api/worker', { method: 'PUT', body });
}
