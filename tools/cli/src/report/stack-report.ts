import { join } from 'node:path';
import { DEMO_DEPLOYMENTS, DEMO_MODEL, demoReplicas } from '../plan/demo-deployments.js';
import type { RouterMode } from '../plan/stack-options.js';
import { stackUrls } from '../plan/stack-urls.js';
import type { Credentials, DemoCredentials } from '../state/credentials.js';
import type { StackState } from '../state/stack-state.js';
import type { RouterStatus } from './router-status.js';

/** One router process. `node_id` and `pid` are null while it does not answer. */
export interface RouterEntry {
  node_id: string | null;
  base_url: string;
  admin_url: string;
  /** Null unless the stack has internal listeners. */
  internal_url: string | null;
  pid: number | null;
}

/** A demo deployment of a wildcard stack: its address, the Host header for a call to `base_url`, and a token. */
export interface EndpointEntry {
  name: string;
  deployment_id: string;
  model: string;
  url: string;
  host: string;
  token: string;
}

/** What `up --json` prints: addresses and credentials for machines. */
export interface StackReport {
  base_url: string;
  api_key: string | null;
  model: string | null;
  manager_url: string;
  admin_token: string;
  coordinator_url: string;
  coordinator_urls: string[];
  api_secret: string;
  authority: string;
  mode: RouterMode;
  wildcard_domain: string | null;
  /** Demo deployments of a wildcard stack. */
  endpoints: EndpointEntry[];
  routers: RouterEntry[];
  replicas: { deployment_id: string; url: string; admin_url: string }[];
  pids: Record<string, number>;
  data_dir: string;
  /** Holds the secrets that this report leaves out. */
  credentials_file: string;
  redis_url: string;
  database_urls: { coordinator: string; manager: string };
}

/** Where each router process is; asked for its status to complete the report. */
export function routerAddresses({
  ports,
  options,
}: StackState): Pick<RouterEntry, 'base_url' | 'admin_url' | 'internal_url'>[] {
  return ports.router.flatMap((port, index) => {
    const firstAdmin = ports['router-admin'][index] ?? 0;
    const internal = ports['router-internal'][index];
    return Array.from({ length: options.workers }, (_, worker) => ({
      base_url: `http://127.0.0.1:${port}/v1`,
      admin_url: `http://127.0.0.1:${firstAdmin + worker}`,
      internal_url: internal === undefined ? null : `http://127.0.0.1:${internal}`,
    }));
  });
}

/** Pure: from what the supervisor wrote down and the routers told. */
export function stackReport(
  dataDir: string,
  state: StackState,
  credentials: Credentials,
  statuses: (RouterStatus | null)[],
): StackReport {
  const urls = stackUrls(credentials, state.ports);
  const demo = state.options.demo ? credentials.demo : null;
  const routers = routerAddresses(state).map((address, index) => ({
    node_id: statuses[index]?.node_id ?? null,
    ...address,
    pid: statuses[index]?.pid ?? null,
  }));
  return {
    base_url: routers[0]?.base_url ?? '',
    api_key: demo?.api_key ?? null,
    model: demo?.api_key ? DEMO_MODEL : null,
    manager_url: urls.manager,
    admin_token: credentials.admin_token,
    coordinator_url: urls.coordinators[0] ?? '',
    coordinator_urls: urls.coordinators,
    api_secret: credentials.api_secret,
    authority: state.options.authority,
    mode: state.options.mode,
    wildcard_domain: state.options.wildcard_domain,
    endpoints: demo ? endpointsOf(demo) : [],
    routers,
    replicas: replicasOf(state, demo?.deployment_ids ?? null),
    pids: pidsOf(state),
    data_dir: dataDir,
    credentials_file: join(dataDir, 'credentials.json'),
    redis_url: urls.redis,
    database_urls: urls.databases,
  };
}

function endpointsOf({ deployment_ids, tokens }: DemoCredentials): EndpointEntry[] {
  return DEMO_DEPLOYMENTS.flatMap(({ name, servedModel: model }) => {
    const entry = tokens[name];
    if (!entry) return [];
    const { url, token } = entry;
    return [{ name, deployment_id: deployment_ids[name] ?? '', model, url, host: new URL(url).host, token }];
  });
}

function replicasOf(
  state: StackState,
  deploymentIds: Record<string, string> | null,
): StackReport['replicas'] {
  if (!deploymentIds) return [];
  const { ports } = state;
  return demoReplicas(ports.replica, ports['replica-admin']).map(({ deployment, port, adminPort }) => ({
    deployment_id: deploymentIds[deployment] ?? '',
    url: `http://127.0.0.1:${port}`,
    admin_url: `http://127.0.0.1:${adminPort}`,
  }));
}

function pidsOf(state: StackState): Record<string, number> {
  const running = state.services.flatMap(({ name, process }) =>
    process ? [[name, process.pid] as const] : [],
  );
  return { supervisor: state.supervisor.pid, ...Object.fromEntries(running) };
}
