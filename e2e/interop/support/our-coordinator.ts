import { type OurProcess, type OurSetup, startOurs, untilReady } from './our-process.ts';
import { choosePort } from './ports.ts';
import { LOOPBACK, SECRETS } from './secrets.ts';

export interface OurCoordinatorOptions extends OurSetup {
  /** Created at start when it does not exist. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

export interface OurCoordinator extends OurProcess {
  readonly url: string;
}

/** Starts our coordinator, quick to notice a silent worker, and waits until it is ready. */
export async function startOurCoordinator(options: OurCoordinatorOptions): Promise<OurCoordinator> {
  const port = await choosePort();
  const running = await startOurs(options, 'coordinator', {
    host: LOOPBACK,
    port,
    database_url: options.databaseUrl,
    redis_url: options.redisUrl,
    api_secret: SECRETS.api,
    jwt_secret: SECRETS.jwt,
    allow_unauthorized_configure_request: true,
    worker_heartbeat_timeout_ms: 4_000,
    ack_timeout_ms: 5_000,
    liveness_sweep_interval_ms: 200,
  });
  const url = `http://${LOOPBACK}:${port}`;
  await untilReady(options.name, running, `${url}/health/readyz`);
  return { ...running, url };
}
