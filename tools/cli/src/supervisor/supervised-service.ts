import { isAlive, type RunningService } from '@penstock/backing-services';
import type { ServicePlan } from '../plan/stack-plan.js';
import { recordProcess, type RecordedProcess, type ServiceState } from '../state/stack-state.js';
import { type LaunchContext, launchService } from './launch-service.js';

type Handle = Pick<RunningService, 'pid' | 'exited' | 'stop'>;

/** One service of a stack: knows how to start and stop it and notices when it ends by itself. */
export class SupervisedService {
  private status: ServiceState['status'] = 'waiting';
  private detail: string | null = null;
  private process: RecordedProcess | null = null;
  private handle: Handle | null = null;
  private starting: Promise<void> | null = null;
  private isWanted = true;

  constructor(
    readonly plan: ServicePlan,
    private readonly context: LaunchContext,
    private readonly onChange: (service: SupervisedService, ended: boolean) => void,
  ) {}

  get name(): string {
    return this.plan.name;
  }

  get isRunning(): boolean {
    return this.handle !== null && isAlive(this.handle.pid);
  }

  state(): ServiceState {
    const { status, detail, process } = this;
    return { name: this.name, status, detail, process, ports: this.plan.ports };
  }

  /** Starts it unless it runs. @throws when it does not become ready; it is stopped then. */
  start(): Promise<void> {
    this.isWanted = true;
    this.starting ??= this.startOnce().finally(() => {
      this.starting = null;
    });
    return this.starting;
  }

  private async startOnce(): Promise<void> {
    if (this.isRunning) return;
    this.change('starting', null);
    try {
      await launchService(this.plan, this.context, (handle) => this.adopt(handle));
      this.change('running', null);
    } catch (error) {
      await this.end();
      this.process = null;
      this.change('failed', firstLine(error));
      throw error;
    }
  }

  /** Stops it in good order; also one that is still starting. */
  async stop(): Promise<void> {
    this.isWanted = false;
    await this.end();
    // A start under way fails or ends now; what it still brought up goes as well.
    await this.starting?.catch(() => undefined);
    await this.end();
    this.process = null;
    // What failed stays told: it is why somebody stops the rest.
    if (this.status !== 'failed') this.change('stopped', null);
  }

  private async end(): Promise<void> {
    const { handle } = this;
    this.handle = null;
    await handle?.stop();
  }

  private adopt(handle: Handle): void {
    this.handle = handle;
    this.process = recordProcess(handle.pid);
    this.change('starting', null);
    void handle.exited.then(() => this.noticeEnd(handle));
    if (!this.isWanted) void handle.stop();
  }

  /** No restart: an operator wants to see what ended, and tests stop services on purpose. */
  private noticeEnd(handle: Handle): void {
    if (this.handle !== handle) return;
    this.process = null;
    if (this.status !== 'running') return;
    this.handle = null;
    this.status = 'failed';
    this.detail = 'ended by itself or was killed';
    this.onChange(this, true);
  }

  private change(status: ServiceState['status'], detail: string | null): void {
    this.status = status;
    this.detail = detail;
    this.onChange(this, false);
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
