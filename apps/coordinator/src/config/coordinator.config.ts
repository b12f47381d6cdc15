import { secret } from '@penstock/config';
import { isIpOrCidr } from '@penstock/protocol';
import { z } from 'zod';

const logLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']);
const port = z.int().min(0).max(65535);
const milliseconds = (min: number, max: number) => z.int().min(min).max(max);

/** Everything an operator can say to the coordinator. */
export const coordinatorConfigSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  port: port.default(10200).describe('Port to listen on; 0 takes any free one.'),
  advertise_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Base URL told to managers by /status. Default: host and port as listened on.'),
  database_url: secret().describe('PostgreSQL database; created at start when it does not exist.'),
  database_pool_size: z.int().min(2).max(200).default(10).describe('Connections this process may hold.'),
  redis_url: secret().describe(
    'Redis or Valkey with the database index of the event bus. Liveness goes to database 2 of the same server.',
  ),
  api_secret: secret().describe('The secret every caller presents in X-BackendAI-Token.'),
  jwt_secret: secret()
    .optional()
    .describe(
      'Signs deployment access tokens and the hand-over of interactive apps; the same on every worker. Without it those calls answer 500.',
    ),
  allow_unauthorized_configure_request: z
    .boolean()
    .default(false)
    .describe(
      'Accept POST /v2/conf without the secret, as managers of Backend.AI send it. Whoever reaches this port can then open a way to any address a worker reaches.',
    ),
  log_level: logLevel.default('info').describe('Least severe log line that is written.'),
  worker_heartbeat_timeout_ms: milliseconds(1_000, 3_600_000)
    .default(30_000)
    .describe('A node not heard from for longer is no longer alive.'),
  ack_timeout_ms: milliseconds(100, 60_000)
    .default(15_000)
    .describe('Longest wait for workers to acknowledge a change.'),
  liveness_sweep_interval_ms: milliseconds(100, 600_000)
    .default(5_000)
    .describe('How often authorities without a live node are marked as lost.'),
  unused_circuit_collection_timeout_ms: milliseconds(1_000, 2_592_000_000)
    .default(3_600_000)
    .describe('An interactive HTTP app not used for longer loses its circuit. Inference never does.'),
  unused_circuit_sweep_interval_ms: milliseconds(100, 600_000)
    .default(10_000)
    .describe('How often unused interactive circuits are looked for.'),
  envelope_mode: z
    .enum(['tuple', 'json', 'dual'])
    .default('dual')
    .describe('Form of events on the bus. Only dual is read by every generation of peers.'),
  metric_access_allowed_hosts: z
    .array(z.string().refine(isIpOrCidr, 'expected an IP address or CIDR'))
    .default(['127.0.0.1/32', '::1/128'])
    .describe('Networks that may read /metrics.'),
  body_limit_bytes: z
    .int()
    .min(1024)
    .max(1_073_741_824)
    .default(33_554_432)
    .describe('Largest request body.'),
  shutdown_timeout_ms: milliseconds(0, 600_000)
    .default(20_000)
    .describe('How long running requests may take to end after SIGTERM.'),
});

export type CoordinatorConfig = z.output<typeof coordinatorConfigSchema>;
