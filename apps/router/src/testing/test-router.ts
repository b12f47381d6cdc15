import { createLogger, createMetrics, type Metrics } from '@penstock/observability';
import { SnapshotStore, type Snapshot } from '../features/snapshot/index.js';
import { createDataPlane, type DataPlane, type DataPlaneSettings } from '../features/ingress/index.js';
import { endpoint, KEY, replica, route, snapshot } from './snapshots.js';

type DataPlaneOptions = Parameters<typeof createDataPlane>[0];

export const TEST_SETTINGS: DataPlaneSettings = {
  bodyLimitBytes: 1024 * 1024,
  timeouts: { connectMs: 2_000, headersMs: 5_000, streamHeadersMs: 5_000, idleMs: 5_000, requestMs: 20_000 },
  maxAttempts: 3,
  strategy: 'weighted_random',
  hideUngrantedModels: false,
  trustedProxies: [],
  corsAllowedOrigins: ['*'],
  replicaNetworks: ['127.0.0.0/8', '::1/128'],
  replicaClient: 'http1',
  processes: 1,
  maxInFlight: 4_096,
  maxBufferedBytes: 512 * 1024 * 1024,
  wildcard: null,
  internal: null,
};

type Line = Readonly<Record<string, unknown>>;

/** A data plane on a free port, with what it logged and counted. */
export class TestRouter {
  private static readonly started = new Set<TestRouter>();

  /** For `afterEach`: whatever a test began ends with it, also when it failed half-way. */
  static async stopAll(): Promise<void> {
    await Promise.all([...TestRouter.started].map((router) => router.stop()));
  }

  readonly lines: Line[] = [];
  readonly snapshots = new SnapshotStore();
  readonly metrics: Metrics = createMetrics({ service: 'router', processMetrics: false });
  readonly plane: DataPlane;
  port = 0;
  /** 0 without an internal listener. */
  internalPort = 0;

  constructor(
    private readonly settings: Partial<DataPlaneSettings> = {},
    options: Partial<DataPlaneOptions> = {},
  ) {
    const destination = { write: (line: string) => void this.lines.push(JSON.parse(line) as Line) };
    this.plane = createDataPlane({
      snapshots: this.snapshots,
      settings: { ...TEST_SETTINGS, ...settings },
      logger: createLogger({ service: 'router', level: 'info', destination }),
      metrics: this.metrics,
      ...options,
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The wide events of ended requests. */
  get requests(): Line[] {
    return this.lines.filter((line) => line['msg'] === 'request');
  }

  async start(current?: Snapshot): Promise<this> {
    if (current !== undefined) this.snapshots.swap(current);
    const address = { host: '127.0.0.1', port: 0 };
    this.port = (await this.plane.listen('public', address)).port;
    if (this.settings.internal) this.internalPort = (await this.plane.listen('internal', address)).port;
    TestRouter.started.add(this);
    return this;
  }

  async stop(): Promise<void> {
    TestRouter.started.delete(this);
    await this.plane.drain(0);
  }

  /** POST of a chat completion to model `m`. */
  chat(body: unknown = { model: 'm', messages: [] }, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
    });
  }
}

/** One model `m` on one endpoint with a replica on each of these ports. */
export function modelOn(...ports: number[]): Snapshot {
  return snapshot({ routes: [route('m', [[endpoint(ports.map((port) => replica(port))), 1]])] });
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 5_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Condition did not hold within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
