import { describeError } from '../../system-error.js';
import type { WorkerRequest } from '@penstock/protocol';
import type { Logger } from '@penstock/observability';
import type { Clock } from './clock.port.js';
import { retryDelayMs, type ControlTimings } from './control-timings.js';
import type { CoordinatorClient } from './coordinator-client.port.js';
import { isRefused, type CoordinatorLink } from './coordinator-link.js';
import { RepeatingTask } from './repeating-task.js';

interface Dependencies {
  readonly client: CoordinatorClient;
  readonly link: CoordinatorLink;
  readonly clock: Clock;
  readonly timings: () => ControlTimings;
  readonly logger: Logger;
  /** Told after each registration, the first and every later one. */
  readonly onRegistered: () => void;
}

/** Keeps this node registered: tries until it is, and again whenever the coordinator no longer knows it. */
export class RegistrationService {
  private readonly task: RepeatingTask;
  private request: WorkerRequest | null = null;

  constructor(private readonly deps: Dependencies) {
    this.task = new RepeatingTask({
      run: () => this.register(),
      nextDelay: (failures, error) =>
        failures === 0 ? null : retryDelayMs(deps.timings(), failures, error, deps.clock.random()),
      clock: deps.clock,
      onFailure: (error, failures) => this.report(error, failures),
    });
  }

  start(request: WorkerRequest): void {
    this.request = request;
    this.task.start();
  }

  /** The coordinator answered 404 for this id. A late answer about an id we no longer use changes nothing. */
  lost(workerId: string): void {
    if (this.deps.link.workerId !== workerId) return;
    this.deps.link.workerId = null;
    this.deps.logger.warn({ worker_id: workerId }, 'coordinator no longer knows this worker');
    this.task.trigger();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async register(): Promise<void> {
    if (this.request === null || this.deps.link.workerId !== null) return;
    const workerId = await this.deps.client.register(this.request);
    this.deps.link.workerId = workerId;
    this.deps.logger.info({ worker_id: workerId }, 'registered with the coordinator');
    this.deps.onRegistered();
  }

  /** A refusal needs somebody to act, so it is an error each time; an absence is worth one warning. */
  private report(error: unknown, failures: number): void {
    const message = describeError(error);
    this.deps.link.failed(message);
    if (isRefused(error)) this.deps.logger.error({ reason: message }, 'coordinator refuses the registration');
    else if (failures === 1) this.deps.logger.warn({ reason: message }, 'cannot register, will keep trying');
    else this.deps.logger.debug({ reason: message, failures }, 'still cannot register');
  }
}
