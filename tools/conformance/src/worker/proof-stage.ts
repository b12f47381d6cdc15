import { BusRewriter } from '../mutation/bus-rewriter.js';
import { HttpRewriter } from '../mutation/http-rewriter.js';
import type { Rewriter } from '../mutation/mutation.js';
import { redOf, refuseRed } from '../mutation/prove-mutations.js';
import { checkOf, type Passed, recorder } from '../mutation/recording.js';
import { checkWorker } from './run-worker-suite.js';
import { workerChecks } from './worker-checks.js';
import { WorkerSession } from './worker-session.js';
import type { WorkerMode, WorkerSuiteOptions } from './worker-suite-options.js';

/** A worker that was started at a coordinator URL. */
export interface StartedWorker {
  /** Where it takes traffic. */
  readonly trafficUrl: string;
  stop(): Promise<void>;
}

export interface WorkerProofTarget extends Pick<WorkerSuiteOptions, 'apiSecret' | 'jwtSecret' | 'redisUrl'> {
  readonly mode: WorkerMode;
  readonly start: (coordinatorUrl: string) => Promise<StartedWorker>;
}

/** Most faults are found by waiting in vain, so not too long. */
const PATIENCE_MS = 1_200;
/** For a run that must tell a fault from a slow machine. */
const LONG_PATIENCE_MS = 12_000;

/** A worker with rewriting proxies between it and everything else. */
export class Stage {
  private worker: Promise<StartedWorker> | undefined;
  private trafficUrl = '';
  private session: WorkerSession | undefined;
  private control: HttpRewriter | undefined;
  private traffic: HttpRewriter | undefined;
  private bus: BusRewriter | undefined;
  private options: WorkerSuiteOptions | undefined;
  private readonly patience = { ms: PATIENCE_MS };

  private constructor(
    private rewriter: Rewriter,
    private readonly passed: Passed[],
  ) {}

  static async open(target: WorkerProofTarget, rewriter: Rewriter): Promise<Stage> {
    const stage = new Stage(rewriter, []);
    try {
      await stage.set(target);
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  /** Runs everything without a fault and keeps what passed. @throws Error when it is not green. */
  async record(): Promise<readonly Passed[]> {
    this.rewriter = recorder(this.passed);
    this.patience.ms = LONG_PATIENCE_MS;
    refuseRed(
      await this.run(
        'start.*,events.*,access.*,forwarding.*,replicas.*,streams.*,hosts.*,websocket.*,statistics.*,router.*',
      ),
    );
    return this.passed;
  }

  /** @param sure - waits longer, so that nothing is red for being slow */
  async red(rewriter: Rewriter, reached: readonly (string | undefined)[], sure = false): Promise<string[]> {
    this.rewriter = rewriter;
    this.patience.ms = sure ? LONG_PATIENCE_MS : PATIENCE_MS;
    if (reached.length === 0) return [];
    return redOf(await this.run(reached.includes(undefined) ? this.everything : reached.join()));
  }

  async close(): Promise<void> {
    await (await this.worker)?.stop();
    await this.session?.close();
    await Promise.all([this.control?.close(), this.traffic?.close(), this.bus?.close()]);
  }

  /** All but the departure, which ends the worker. */
  private get everything(): string {
    const checks = workerChecks(this.session?.mode ?? 'wildcard');
    return checks.flatMap(({ id, phase }) => (phase === 'last' ? [] : [id])).join();
  }

  private run(only: string) {
    if (!this.session || !this.options) throw new Error('the stage is not set');
    return checkWorker(this.session, { ...this.options, only });
  }

  private async set(target: WorkerProofTarget): Promise<void> {
    const { apiSecret, jwtSecret, redisUrl } = target;
    this.bus = await BusRewriter.start({ redisUrl, rewrite: (one) => this.rewriter.message?.(one) });
    this.traffic = await HttpRewriter.start({
      targetUrl: () => this.trafficUrl,
      rewrite: (one) => this.rewriter.answer?.(one),
      holds: (path, headers) =>
        this.meets({ checkId: checkOf(headers), stream: path }) && this.rewriter.holds?.(path) === true,
      upgrade: (path, headers) =>
        this.meets({ checkId: checkOf(headers), upgrade: path }) ? this.rewriter.upgrade?.(path) : undefined,
    });
    const { patience } = this;
    this.options = {
      ...{ apiSecret, jwtSecret, redisUrl: this.bus.url, listen: '127.0.0.1:0' },
      ...{ trafficHost: '127.0.0.1', trafficPort: this.traffic.port, waitMs: 30_000 },
      get departureMs() {
        return patience.ms;
      },
      get patienceMs() {
        return patience.ms;
      },
      onListening: (url) => {
        this.worker = this.startWorker(target, url);
      },
      stopWorker: async () => (await this.worker)?.stop(),
    };
    this.session = await WorkerSession.start(this.options);
    await this.worker;
  }

  private async startWorker(target: WorkerProofTarget, url: string): Promise<StartedWorker> {
    this.control = await HttpRewriter.start({
      targetUrl: () => url,
      rewrite: () => undefined,
      rewriteCall: (call) => this.rewriter.call?.(call),
    });
    const worker = await target.start(this.control.url);
    this.trafficUrl = worker.trafficUrl;
    return worker;
  }

  /** Keeps what passed, for the faultless run. */
  private meets(passed: Passed): boolean {
    this.passed.push(passed);
    return true;
  }
}
