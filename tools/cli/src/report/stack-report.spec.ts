import { describe, expect, it } from '@jest/globals';
import type { StackState } from '../state/stack-state.js';
import { humanSummary } from './human-summary.js';
import { stackReport, type StackReport } from './stack-report.js';

const credentials = {
  postgres_password: 'pg',
  redis_password: 'rd',
  api_secret: 'secret',
  admin_token: 'token',
  jwt_secret: 'jwt',
  encryption_key: 'key',
  demo: {
    project_id: 'p',
    deployment_ids: { 'demo-large': 'dep-1', 'demo-small': 'dep-2' },
    publication_id: 'pub',
    api_key_id: 'key-id',
    api_key: 'sk-demo',
    tokens: {},
  },
};

function state(demo: boolean, workers = 1): StackState {
  return {
    supervisor: { pid: 100, mark: '1' },
    phase: 'ready',
    started_at: '2026-01-01T00:00:00.000Z',
    last_error: null,
    options: {
      demo,
      mode: 'router',
      wildcard_domain: null,
      internal: false,
      workers,
      routers: 2,
      coordinators: 1,
      authority: 'penstock',
      log_level: 'info',
    },
    ports: {
      postgres: [1],
      redis: [2],
      coordinator: [3],
      manager: [4],
      router: [5, 6],
      'router-admin': [50, 60],
      'router-internal': [],
      replica: [7, 8, 9, 10],
      'replica-admin': [70, 80, 90, 100],
    },
    services: [
      { name: 'redis', status: 'running', detail: null, process: { pid: 200, mark: '2' }, ports: [2] },
      { name: 'manager', status: 'failed', detail: 'ended', process: null, ports: [4] },
    ],
  };
}

function router(port: number, admin: number): object {
  const [base_url, admin_url] = [`http://127.0.0.1:${port}/v1`, `http://127.0.0.1:${admin}`];
  return { base_url, admin_url, internal_url: null };
}

/** The same stack in wildcard mode with internal listeners. */
function wildcardReport(): StackReport {
  const { options, ports, ...rest } = state(true);
  const changed = { ...options, mode: 'wildcard' as const, wildcard_domain: '.w.localhost', internal: true };
  const url = 'http://demo-large.w.localhost:5/';
  const tokens = { 'demo-large': { id: 't', token: 'jwt-demo', expires_at: '2026-01-01T00:00:00Z', url } };
  const demo = { ...credentials.demo, publication_id: null, api_key_id: null, api_key: null, tokens };
  const wildcard = { ...rest, options: changed, ports: { ...ports, 'router-internal': [70, 71] } };
  return stackReport('/data', wildcard, { ...credentials, demo }, statuses);
}

const statuses = [{ node_id: 'node-a', pid: 11 }, null];

describe('stackReport', () => {
  it('has everything a machine needs to use the stack', () => {
    expect(stackReport('/data', state(true), credentials, statuses)).toEqual({
      base_url: 'http://127.0.0.1:5/v1',
      api_key: 'sk-demo',
      model: 'demo-chat',
      manager_url: 'http://127.0.0.1:4',
      admin_token: 'token',
      coordinator_url: 'http://127.0.0.1:3',
      coordinator_urls: ['http://127.0.0.1:3'],
      api_secret: 'secret',
      authority: 'penstock',
      mode: 'router',
      wildcard_domain: null,
      endpoints: [],
      routers: [
        { ...router(5, 50), node_id: 'node-a', pid: 11 },
        { ...router(6, 60), node_id: null, pid: null },
      ],
      replicas: [
        { deployment_id: 'dep-1', url: 'http://127.0.0.1:7', admin_url: 'http://127.0.0.1:70' },
        { deployment_id: 'dep-2', url: 'http://127.0.0.1:8', admin_url: 'http://127.0.0.1:80' },
        { deployment_id: 'dep-2', url: 'http://127.0.0.1:9', admin_url: 'http://127.0.0.1:90' },
        { deployment_id: 'dep-2', url: 'http://127.0.0.1:10', admin_url: 'http://127.0.0.1:100' },
      ],
      pids: { supervisor: 100, redis: 200 },
      data_dir: '/data',
      credentials_file: '/data/credentials.json',
      redis_url: 'redis://:rd@127.0.0.1:2',
      database_urls: {
        coordinator: 'postgresql://penstock:pg@127.0.0.1:1/penstock_coordinator',
        manager: 'postgresql://penstock:pg@127.0.0.1:1/penstock_manager',
      },
    });
  });

  it('has no key, model or replicas without the demo, even if there was one before', () => {
    const report = stackReport('/data', state(false), credentials, statuses);
    expect(report).toMatchObject({ api_key: null, model: null, replicas: [] });
  });

  it('names host and token of every demo deployment of a wildcard stack, and no secret that makes tokens', () => {
    const report = wildcardReport();
    expect(report).toMatchObject({ api_key: null, model: null, wildcard_domain: '.w.localhost' });
    expect(report.endpoints).toEqual([
      {
        name: 'demo-large',
        deployment_id: 'dep-1',
        model: 'sim-large',
        url: 'http://demo-large.w.localhost:5/',
        host: 'demo-large.w.localhost:5',
        token: 'jwt-demo',
      },
    ]);
    expect(report.routers.map(({ internal_url }) => internal_url)).toEqual([
      'http://127.0.0.1:70',
      'http://127.0.0.1:71',
    ]);
    expect(JSON.stringify(report)).not.toMatch(/"jwt"|"key"/);
  });

  it('lists every process of every router, with an admin address of its own', () => {
    const { routers } = stackReport('/data', state(true, 2), credentials, []);
    expect(routers.map(({ admin_url }) => new URL(admin_url).port)).toEqual(['50', '51', '60', '61']);
  });
});

describe('humanSummary', () => {
  it('shows a line that names the host of a deployment, with its token', () => {
    const lines = humanSummary(wildcardReport(), true).join('\n');
    expect(lines).toContain("-H 'Host: demo-large.w.localhost:5' -H 'Authorization: Bearer jwt-demo'");
    expect(lines).toContain('http://127.0.0.1:71');
  });

  it('shows a line to try, with the key', () => {
    const lines = humanSummary(stackReport('/data', state(true), credentials, statuses), true).join('\n');
    expect(lines).toContain('curl -N http://127.0.0.1:5/v1/chat/completions');
    expect(lines).toContain('sk-demo');
    expect(lines).toContain('./penstock down');
  });
});
