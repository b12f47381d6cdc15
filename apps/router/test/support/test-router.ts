import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routerConfigSchema, type RouterConfig } from '../../src/config/router.config.js';
import { runProcess, type RunningProcess } from '../../src/run-process.js';

/** The document of `/status`, as far as tests look at it. */
interface StatusDocument {
  readonly node_id: string;
  readonly slot: string;
  readonly ready: boolean;
  readonly draining: boolean;
  readonly revision: string | null;
  readonly coordinator: {
    readonly registered: boolean;
    readonly worker_id: string | null;
    readonly last_pull_at: string | null;
    readonly last_error: string | null;
  };
  readonly event_bus: { readonly connected: boolean };
  readonly counts: { readonly circuits: number; readonly replicas: number };
  readonly models: readonly { readonly name: string; readonly endpoints: readonly unknown[] }[];
}

/** A router process inside the test's own process, on free ports. */
export class TestRouter {
  private constructor(
    private readonly running: RunningProcess,
    private readonly dataDir: string,
    readonly publicUrl: string,
    readonly adminUrl: string,
    /** Null when no internal listener is configured. */
    readonly internalPort: number | null,
  ) {}

  /** @param config - written over settings that suit tests: short waits, free ports, quiet */
  static async start(config: object): Promise<TestRouter> {
    const dataDir = mkdtempSync(join(tmpdir(), 'penstock-router-'));
    const value: RouterConfig = routerConfigSchema.parse({
      hostname: 'router.test',
      data_dir: dataDir,
      public: { host: '127.0.0.1', port: 0 },
      admin: { host: '127.0.0.1', port: 0 },
      heartbeat_period_ms: 200,
      reconcile_interval_ms: 60_000,
      drain_readiness_lead_ms: 0,
      drain_timeout_ms: 5_000,
      log_level: 'fatal',
      ...config,
    });
    const source = {
      file: null,
      current: () => value,
      reload: () => ({ ok: true as const, value }),
    };
    const running = await runProcess(source, 0);
    const { public: publicAddress, admin, internal } = running.addresses;
    return new TestRouter(
      running,
      dataDir,
      `http://127.0.0.1:${publicAddress.port}`,
      `http://127.0.0.1:${admin.port}`,
      internal?.port ?? null,
    );
  }

  async status(): Promise<StatusDocument> {
    return (await (await fetch(`${this.adminUrl}/status`)).json()) as StatusDocument;
  }

  /** Status of a request that lists models with a key. */
  async listModels(key: string): Promise<{ readonly status: number; readonly names: readonly string[] }> {
    const response = await fetch(`${this.publicUrl}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const body = (await response.json()) as { readonly data?: readonly { readonly id: string }[] };
    return { status: response.status, names: (body.data ?? []).map(({ id }) => id) };
  }

  async stop(): Promise<void> {
    await this.running.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
