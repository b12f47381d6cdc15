import type { Progress } from '@penstock/backing-services';
import type { StackPlan } from '../plan/stack-plan.js';
import { recordProcess, type StackState, writeState } from '../state/stack-state.js';
import { UserError } from '../user-error.js';
import type { LaunchContext } from './launch-service.js';
import { SupervisedService } from './supervised-service.js';

const STOPPED_EARLY = new UserError('The stack was stopped while it was starting.');

/** Owns the processes of one stack and writes down, after each change, what there is. */
export class StackSupervisor {
  private readonly services: SupervisedService[];
  private readonly startedAt = new Date().toISOString();
  private phase: StackState['phase'] = 'starting';
  private lastError: string | null = null;
  private stopped: Promise<void> | null = null;

  constructor(
    private readonly plan: StackPlan,
    private readonly context: LaunchContext,
    private readonly progress: Progress,
  ) {
    this.services = plan.services.map(
      (service) =>
        new SupervisedService(service, context, (changed, ended) => this.noteChange(changed, ended)),
    );
    this.save();
  }

  /** Starts all services, phase by phase. @throws the first failure, after everything was stopped again. */
  async startAll(): Promise<void> {
    try {
      for (const phase of this.phases()) await this.startPhase(phase);
      this.assertNotStopping();
    } catch (error) {
      const reason = this.stopped ? STOPPED_EARLY : error;
      await this.fail(reason);
      throw reason;
    }
  }

  /** From here on the stack counts as up. */
  markReady(): void {
    this.assertNotStopping();
    this.phase = 'ready';
    this.save();
  }

  /** Stops everything and keeps the reason for `status` and `doctor`. */
  async fail(error: unknown): Promise<void> {
    this.lastError ??= error instanceof Error ? error.message : String(error);
    await this.stopAll();
    this.phase = 'failed';
    this.save();
  }

  /** Stops all services, the last started first. Every caller waits for the same stop. */
  stopAll(): Promise<void> {
    this.stopped ??= this.stopPhases();
    return this.stopped;
  }

  /** @throws UserError when the stack has no such service. */
  service(name: string): SupervisedService {
    const found = this.services.find((service) => service.name === name);
    if (found) return found;
    const names = this.services.map((service) => service.name).join(', ');
    throw new UserError(`There is no service "${name}" in this stack. It has: ${names}.`);
  }

  private async startPhase(services: SupervisedService[]): Promise<void> {
    this.assertNotStopping();
    const results = await Promise.allSettled(services.map((service) => this.startOne(service)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async startOne(service: SupervisedService): Promise<void> {
    await service.start();
    this.progress(`${service.name} is ready (port ${service.plan.ports[0] ?? 0}).`);
  }

  private async stopPhases(): Promise<void> {
    this.phase = 'stopping';
    this.save();
    for (const phase of this.phases().reverse()) {
      await Promise.all(phase.map((service) => this.stopOne(service)));
    }
    this.phase = 'stopped';
    this.save();
  }

  private async stopOne(service: SupervisedService): Promise<void> {
    const ran = service.isRunning;
    await service.stop();
    if (ran) this.progress(`${service.name} stopped.`);
  }

  private phases(): SupervisedService[][] {
    const byPhase = Map.groupBy(this.services, (service) => service.plan.phase);
    return [...byPhase].sort(([a], [b]) => a - b).map(([, services]) => services);
  }

  private assertNotStopping(): void {
    if (this.stopped) throw STOPPED_EARLY;
  }

  private noteChange(service: SupervisedService, ended: boolean): void {
    if (ended && this.phase === 'ready') {
      this.progress(`${service.name} ended unexpectedly: see ./penstock logs ${service.name}`);
    }
    this.save();
  }

  private save(): void {
    const { options, ports } = this.plan;
    const { demo, mode, internal, workers, routers, coordinators, authority } = options;
    const { wildcardDomain: wildcard_domain, logLevel: log_level } = options;
    writeState(this.context.dir.stateFile, {
      supervisor: recordProcess(process.pid),
      phase: this.phase,
      started_at: this.startedAt,
      last_error: this.lastError,
      options: {
        demo,
        mode,
        wildcard_domain,
        internal,
        workers,
        routers,
        coordinators,
        authority,
        log_level,
      },
      ports,
      services: this.services.map((service) => service.state()),
    });
  }
}
