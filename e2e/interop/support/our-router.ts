import { type OurProcess, type OurSetup, startOurs } from './our-process.ts';
import { choosePort } from './ports.ts';
import { LOOPBACK, SECRETS } from './secrets.ts';

export interface OurRouterOptions extends OurSetup {
  readonly authority: string;
  readonly coordinatorUrl: string;
  readonly redisUrl: string;
  /** With one it is a wildcard worker, without one a router. */
  readonly wildcardDomain?: string;
  /** A free one unless given. */
  readonly port?: number;
}

export interface OurRouter extends OurProcess {
  readonly publicUrl: string;
  readonly port: number;
  readonly readyUrl: string;
}

/** Starts one process of our router, without waiting until it is ready: a refused one never is. */
export async function startOurRouter(options: OurRouterOptions): Promise<OurRouter> {
  const port = options.port ?? (await choosePort());
  const adminPort = await choosePort();
  const { authority, coordinatorUrl, redisUrl, wildcardDomain: domain } = options;
  const running = await startOurs(options, 'router', {
    authority,
    hostname: LOOPBACK,
    data_dir: options.dir,
    mode: domain === undefined ? 'router' : 'wildcard',
    ...(domain === undefined ? {} : { wildcard: { domain, jwt_secret: SECRETS.jwt } }),
    coordinator: { url: coordinatorUrl, api_secret: SECRETS.api, refused_retry_ms: 1_000 },
    redis_url: redisUrl,
    public: { host: LOOPBACK, port },
    admin: { host: LOOPBACK, port: adminPort },
    // Long, so that what arrives sooner came by an event.
    reconcile_interval_ms: 60_000,
    heartbeat_period_ms: 1_000,
    drain_readiness_lead_ms: 0,
  });
  const readyUrl = `http://${LOOPBACK}:${adminPort}/readyz`;
  return { ...running, publicUrl: `http://${LOOPBACK}:${port}`, port, readyUrl };
}
