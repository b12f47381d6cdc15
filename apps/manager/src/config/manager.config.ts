import { secret } from '@penstock/config';
import { isIpOrCidr } from '@penstock/protocol';
import { z } from 'zod';

import {
  deploymentTokensSchema,
  retentionSchema,
  serviceEnvironmentSchema,
  upstreamTokenSchema,
} from './config-parts.js';

/** Loopback and the private ranges: what a replica's address may be unless the operator says otherwise. */
const PRIVATE_NETWORKS = [
  '127.0.0.0/8',
  '::1/128',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
];

const coordinatorSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .describe('Where the coordinator answers, for example http://127.0.0.1:10200.'),
  api_secret: secret().describe('Shared secret of the coordinator (its api_secret).'),
  authority: z
    .string()
    .min(1)
    .max(255)
    .describe('Router authority that new deployments, publications and keys belong to.'),
});

/** Everything an operator can set, with its unit, its bounds and its default. */
export const managerConfigSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  port: z.int().min(0).max(65_535).default(10_300).describe('TCP port of the REST API.'),
  database_url: secret().describe('PostgreSQL database of the manager; it is created when missing.'),
  database_pool_size: z.int().min(1).max(200).default(20).describe('Connections to PostgreSQL at most.'),
  database_timeout_ms: z
    .int()
    .min(100)
    .max(60_000)
    .default(6_000)
    .describe('A request that waits longer for PostgreSQL is answered with 503.'),
  coordinator: coordinatorSchema.describe('The coordinator that mirrors the desired state.'),
  admin_token: secret()
    .min(16)
    .optional()
    .describe('Token of the user admin. Unset, one is made at the first start.'),
  admin_token_output_file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where a token that was made is written, mode 0600. Unset, it is printed once on standard error.',
    ),
  reconcile_interval_ms: z
    .int()
    .min(250)
    .max(3_600_000)
    .default(60_000)
    .describe('Pause between two rounds of shrinking keys and repairing drift.'),
  route_repeat_interval_ms: z
    .int()
    .min(250)
    .max(3_600_000)
    .default(30_000)
    .describe(
      'Deployments on workers other than routers are pushed again by the first round after this: such workers never pull, so an event they missed would stay missed.',
    ),
  encryption_key: secret()
    .min(32)
    .optional()
    .describe(
      'Encrypts the upstream tokens in the database, any 32 characters or more. Needed for upstream bindings.',
    ),
  previous_encryption_key: secret()
    .min(32)
    .optional()
    .describe(
      'The encryption_key before the last change: what it encrypted stays readable until it is rotated.',
    ),
  deployment_tokens: deploymentTokensSchema.prefault({}).describe('Access tokens of deployments.'),
  upstream_token: upstreamTokenSchema.prefault({}).describe('Rotation of the tokens of upstream bindings.'),
  service_environment: serviceEnvironmentSchema
    .optional()
    .describe('Where upstream tokens are handed over as files. Unset, the API is the only way.'),
  retention: retentionSchema.prefault({}).describe('How long records are kept.'),
  replica_networks: z
    .array(z.string().refine(isIpOrCidr, 'expected an IP address or a network such as 10.0.0.0/8'))
    .min(1)
    .default(PRIVATE_NETWORKS)
    .describe('Networks that replica addresses written by projects must lie in.'),
  body_limit_bytes: z
    .int()
    .min(1_024)
    .max(67_108_864)
    .default(1_048_576)
    .describe('Larger bodies are a 413.'),
  log_level: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Least severe level that is logged.'),
  shutdown_timeout_ms: z
    .int()
    .min(0)
    .max(600_000)
    .default(30_000)
    .describe('How long running requests may take after SIGTERM.'),
});
export type ManagerConfig = z.output<typeof managerConfigSchema>;
