import { secret } from '@penstock/config';
import { isIpOrCidr } from '@penstock/protocol';
import { z } from 'zod';
import { listenerSchemas, wildcardSchema } from './listener.schemas.js';
import { modeProblems } from './mode-problems.js';

const durationMs = (min: number, max: number, fallback: number) =>
  z.int().min(min).max(max).default(fallback);

function isRedisUrl(text: string): boolean {
  return /^rediss?:$/.test(URL.parse(text)?.protocol ?? '');
}

const coordinatorSchema = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: 'must be a URL such as http://127.0.0.1:10200' })
      .describe('Base URL of the coordinator.'),
    api_secret: secret().describe('The secret every coordinator call carries; shared by the cluster.'),
    request_timeout_ms: durationMs(50, 60_000, 5_000).describe('Deadline of one coordinator call.'),
    backoff_min_ms: durationMs(10, 60_000, 250).describe('First wait after a failed coordinator call.'),
    backoff_max_ms: durationMs(10, 600_000, 5_000).describe('Longest wait between two coordinator attempts.'),
    refused_retry_ms: durationMs(10, 3_600_000, 30_000).describe(
      'Wait after an answer that repeating will not change (400, 401, 403, 409).',
    ),
  })
  .describe('How the control side reaches the coordinator.');

const timeoutsSchema = z
  .strictObject({
    connect_ms: durationMs(10, 120_000, 2_000).describe('Longest wait for a connection to a replica.'),
    headers_ms: durationMs(10, 3_600_000, 300_000).describe(
      'Longest wait for the head of an answer. A reply that is not streamed sends its head when it is complete.',
    ),
    stream_headers_ms: durationMs(10, 3_600_000, 30_000).describe(
      'The same for a streamed reply, whose head does not wait for its tokens.',
    ),
    idle_ms: durationMs(10, 3_600_000, 300_000).describe(
      'Longest silence between two pieces of an answer, inside a body that passes through, and on an upgraded connection.',
    ),
    request_ms: durationMs(100, 86_400_000, 1_800_000).describe(
      'Longest life of one inference call, retries included.',
    ),
  })
  .prefault({});

const admissionSchema = z
  .strictObject({
    max_in_flight: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(4_096)
      .describe('Requests one instance works on at once; more are shed with 503. Divided by its processes.'),
    max_buffered_bytes: z
      .int()
      .min(1_048_576)
      .default(536_870_912)
      .describe('Request bodies one instance holds at once, in bytes. Divided by its processes.'),
  })
  .prefault({});

const networks = ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

const cidr = z.string().refine(isIpOrCidr, 'must be an IP address or a network such as 10.0.0.0/8');

/** Every setting of a router, as an operator writes it. Unknown keys are errors. */
export const routerConfigSchema = z
  .strictObject({
    authority: z
      .string()
      .min(1)
      .max(255)
      .describe('Name of the service all router nodes answer for together.'),
    hostname: z.string().min(1).max(1024).describe('Public host name, that of the balancer if there is one.'),
    instance: z.int().min(0).max(9_999).default(0).describe('Number of this instance on this machine.'),
    data_dir: z.string().min(1).describe('Directory for the slot directories of the processes.'),
    workers: z.int().min(1).max(256).default(1).describe('Processes of this instance, one per core.'),
    mode: z
      .enum(['router', 'wildcard'], {
        error: 'must be "router" or "wildcard"; other frontend modes are not served',
      })
      .default('router')
      .describe(
        'Frontend mode: model names and keys, or one host per endpoint. One process serves one mode.',
      ),
    wildcard: wildcardSchema,
    coordinator: coordinatorSchema,
    redis_url: secret()
      .refine(isRedisUrl, 'must be a URL such as redis://127.0.0.1:10479/4')
      .describe('Event bus, index included; may carry a password.'),
    ...listenerSchemas,
    traffic_port: z
      .int()
      .min(1)
      .max(65_535)
      .nullable()
      .default(null)
      .describe('Port clients use; the public port when unset.'),
    tls_advertised: z.boolean().default(false).describe('True when clients reach this service over https.'),
    heartbeat_period_ms: durationMs(100, 300_000, 10_000).describe('Time between two heartbeats.'),
    reconcile_interval_ms: durationMs(100, 3_600_000, 15_000).describe(
      'Time between two pulls: the longest a missed event can go unnoticed.',
    ),
    events_enabled: z.boolean().default(true).describe('False: changes arrive by pull alone.'),
    allow_unrestricted_keys: z
      .boolean()
      .default(false)
      .describe('True: a key with an empty grant list may call every model. False: it may call none.'),
    hide_ungranted_models: z
      .boolean()
      .default(false)
      .describe('True: a published model a key may not call answers 404 like an unknown one.'),
    trusted_proxies: z.array(cidr).default([]).describe('Peers whose X-Forwarded-For is believed.'),
    cors: z
      .strictObject({
        allowed_origins: z
          .array(z.string().min(1))
          .default(['*'])
          .describe('Origins browsers may call from.'),
      })
      .prefault({}),
    body_limit_bytes: z
      .int()
      .min(1_024)
      .max(1_073_741_824)
      .default(33_554_432)
      .describe('Largest JSON request body, in bytes.'),
    timeouts: timeoutsSchema,
    retry: z
      .strictObject({
        max_attempts: z.int().min(1).max(10).default(3).describe('Replicas one request may try.'),
      })
      .prefault({}),
    selection: z
      .strictObject({
        strategy: z
          .enum(['weighted_random', 'least_in_flight'])
          .default('weighted_random')
          .describe('How a replica is picked within its group.'),
      })
      .prefault({}),
    admission: admissionSchema,
    replica_networks: z
      .array(cidr)
      .default(networks)
      .describe('Networks replicas may be in; others are never dialled.'),
    replica_client: z
      .enum(['http1', 'undici'])
      .default('http1')
      .describe('HTTP client that speaks to replicas: the own one, or the library as a fallback.'),
    drain_timeout_ms: durationMs(0, 86_400_000, 60_000).describe(
      'Longest wait for running requests at shutdown.',
    ),
    drain_readiness_lead_ms: durationMs(0, 600_000, 1_000).describe(
      'Time between failing readiness and closing the port, for balancers to notice.',
    ),
    log_level: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
      .default('info')
      .describe('Lowest level logged.'),
  })
  .superRefine((config, context) => {
    for (const { path, message } of modeProblems(config)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .describe('A router instance.');

/** A router's settings after validation. */
export type RouterConfig = z.infer<typeof routerConfigSchema>;
