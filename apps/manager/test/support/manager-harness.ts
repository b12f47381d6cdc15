import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';

import { createLogger } from '@penstock/observability';
import { createTestDatabase, type TestDatabase, uniqueAuthority } from '@penstock/testkit';

import { type ManagerConfig, managerConfigSchema } from '../../src/config/manager.config.js';
import { type RunningManager, startManager } from '../../src/start-manager.js';
import { ApiClient } from './api-client.js';
import { ScriptedCoordinator } from './scripted-coordinator.js';

export interface HarnessOptions {
  readonly config?: Partial<ManagerConfig>;
  /** A database of the test's own instead of a copy of the template. */
  readonly databaseUrl?: string;
}

export const ENCRYPTION_KEY = 'an-encryption-key-for-tests-only-0001';

/** A manager on a database and a scripted coordinator of its own, with its log lines in memory. */
export class ManagerHarness {
  readonly coordinator = new ScriptedCoordinator(uniqueAuthority());
  readonly adminToken = `pst_${randomBytes(24).toString('base64url')}`;
  readonly logLines: string[] = [];
  #manager: RunningManager | null = null;
  #database: TestDatabase | null = null;
  #databaseUrl = '';

  static async start(options: HarnessOptions = {}): Promise<ManagerHarness> {
    const harness = new ManagerHarness();
    await harness.coordinator.start();
    if (options.databaseUrl === undefined) harness.#database = await createTestDatabase('manager');
    harness.#databaseUrl = options.databaseUrl ?? harness.#database?.url ?? '';
    await harness.startManager(options.config);
    return harness;
  }

  get authority(): string {
    return this.coordinator.authority;
  }

  get url(): string {
    if (this.#manager === null) throw new Error('the manager does not run');
    return this.#manager.url;
  }

  get databaseUrl(): string {
    return this.#databaseUrl;
  }

  /** A service of the running application, for tests that cannot wait for a timer. */
  get<T>(token: abstract new (...args: never[]) => T): T {
    if (this.#manager === null) throw new Error('the manager does not run');
    return this.#manager.app.get(token);
  }

  admin(): ApiClient {
    return new ApiClient(() => this.url, this.adminToken);
  }

  /** The admin at another manager. */
  at(url: string): ApiClient {
    return new ApiClient(() => url, this.adminToken);
  }

  as(token: string | null): ApiClient {
    return new ApiClient(() => this.url, token);
  }

  async startManager(config: Partial<ManagerConfig> = {}): Promise<void> {
    this.#manager = await startManager(this.#config(config), this.#logger());
  }

  /** One more manager on the same database and coordinator; whoever starts it stops it. */
  startAnother(config: Partial<ManagerConfig> = {}): Promise<RunningManager> {
    return startManager(this.#config(config), this.#logger());
  }

  async stopManager(): Promise<void> {
    await this.#manager?.stop();
    this.#manager = null;
  }

  async dispose(): Promise<void> {
    await this.stopManager();
    await this.coordinator.stop();
    await this.#database?.drop();
  }

  #config(overrides: Partial<ManagerConfig>): ManagerConfig {
    return managerConfigSchema.parse({
      port: 0,
      database_url: this.#databaseUrl,
      database_pool_size: 5,
      coordinator: {
        url: this.coordinator.url,
        api_secret: this.coordinator.apiSecret,
        authority: this.authority,
      },
      admin_token: this.adminToken,
      encryption_key: ENCRYPTION_KEY,
      // Like the reconciler's, rounds of rotation are run by the tests that want one.
      upstream_token: { rotation_check_interval_ms: 3_600_000 },
      // Rounds are run by the tests that want one.
      reconcile_interval_ms: 3_600_000,
      log_level: 'debug',
      ...overrides,
    });
  }

  #logger() {
    const lines = this.logLines;
    const destination = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString('utf8'));
        done();
      },
    });
    return createLogger({ service: 'manager', level: 'debug', destination });
  }
}
