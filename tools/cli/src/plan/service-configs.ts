import { join } from 'node:path';
import type { Credentials } from '../state/credentials.js';
import { withOverrides } from './config-overrides.js';
import type { DemoReplica } from './demo-deployments.js';
import { INTERNAL_DOMAIN, type StackOptions } from './stack-options.js';
import type { StackUrls } from './stack-urls.js';

const HOST = '127.0.0.1';
/** The hosts of base URLs, which every client resolves, names below `.localhost` only some. */
const ALL_ENDPOINTS = [HOST, 'localhost'];

/** Content of a coordinator's configuration file. */
export function coordinatorConfig(
  options: StackOptions,
  urls: StackUrls,
  credentials: Credentials,
  port: number,
): object {
  const config = {
    host: HOST,
    port,
    database_url: urls.databases.coordinator,
    redis_url: urls.redis,
    api_secret: credentials.api_secret,
    jwt_secret: credentials.jwt_secret,
    log_level: options.logLevel,
  };
  return withOverrides(config, options.overrides, 'coordinator');
}

/** Content of the manager's configuration file. It talks to the first coordinator. */
export function managerConfig(
  options: StackOptions,
  urls: StackUrls,
  credentials: Credentials,
  port: number,
): object {
  const config = {
    host: HOST,
    port,
    database_url: urls.databases.manager,
    coordinator: {
      url: urls.coordinators[0],
      api_secret: credentials.api_secret,
      authority: options.authority,
    },
    admin_token: credentials.admin_token,
    encryption_key: credentials.encryption_key,
    log_level: options.logLevel,
  };
  return withOverrides(config, options.overrides, 'manager');
}

/** Which router of the stack it is, and where it listens. */
interface RouterPlace {
  index: number;
  port: number;
  firstAdmin: number;
  internalPort: number | null;
  /** The port in the addresses of deployments: one for all nodes, as they register as one worker. */
  trafficPort: number;
}

/** Content of a router's configuration file. Several coordinators share the routers between them. */
export function routerConfig(
  options: StackOptions,
  urls: StackUrls,
  credentials: Credentials,
  router: RouterPlace,
): object {
  const config = {
    authority: options.authority,
    hostname: HOST,
    instance: router.index,
    // One directory for all: slots are told apart in it, and a slot's name must be unique on the machine.
    data_dir: join(options.dataDir, 'routers'),
    workers: options.workers,
    mode: options.mode,
    coordinator: {
      url: urls.coordinators[router.index % urls.coordinators.length],
      api_secret: credentials.api_secret,
    },
    redis_url: urls.redis,
    public: { host: HOST, port: router.port },
    admin: { host: HOST, port: router.firstAdmin },
    ...wildcardPart(options, credentials, router),
    ...internalPart(credentials, router),
    log_level: options.logLevel,
  };
  return withOverrides(config, options.overrides, 'router');
}

function wildcardPart(
  { wildcardDomain }: StackOptions,
  { jwt_secret }: Credentials,
  { trafficPort }: RouterPlace,
): object {
  if (wildcardDomain === null) return {};
  const wildcard = { domain: wildcardDomain, jwt_secret, traffic_port: trafficPort };
  return { wildcard: { ...wildcard, aggregation_hosts: ALL_ENDPOINTS } };
}

function internalPart({ jwt_secret }: Credentials, { internalPort }: RouterPlace): object {
  if (internalPort === null) return {};
  return { internal: { host: HOST, port: internalPort, domain: INTERNAL_DOMAIN, jwt_secret } };
}

/** Content of the replica simulator's file: one process plays all replicas, each with a text of its own. */
export function replicasConfig(replicas: DemoReplica[]): object {
  return {
    replicas: replicas.map(({ model, port, adminPort }, index) => ({
      model,
      port,
      admin_port: adminPort,
      seed: index + 1,
    })),
  };
}
