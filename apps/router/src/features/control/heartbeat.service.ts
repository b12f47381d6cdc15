import { describeError } from '../../system-error.js';
import type { Logger } from '@penstock/observability';
import type { Clock } from './clock.port.js';
import { periodicDelayMs, type ControlTimings } from './control-timings.js';
import type { CoordinatorClient, NodeReport } from './coordinator-client.port.js';
import { isGone, type CoordinatorLink } from './coordinator-link.js';
import { RepeatingTask } from './repeating-task.js';

interface Dependencies {
  readonly client: CoordinatorClient;
  readonly link: CoordinatorLink;
  readonly clock: Clock;
  readonly timings: () => ControlTimings;
  readonly logger: Logger;
  readonly report: () => NodeReport;
  /** The coordinator answered 404. */
  readonly onGone: (workerId: string) => void;
}

/** Tells the coordinator that this node lives, and which revision it serves. */
export class HeartbeatService {
  private readonly task: RepeatingTask;

  constructor(private readonly deps: Dependencies) {
    this.task = new RepeatingTask({
      run: () => this.beat(),
      nextDelay: (failures, error) =>
        periodicDelayMs(
          deps.timings(),
          deps.timings().heartbeatPeriodMs,
          { failures, error },
          deps.clock.random(),
        ),
      clock: deps.clock,
      onFailure: (error, failures) => this.failed(error, failures),
    });
  }

  start(): void {
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async beat(): Promise<void> {
    const { workerId } = this.deps.link;
    if (workerId === null) return;
    try {
      await this.deps.client.heartbeat(workerId, this.deps.report());
    } catch (error) {
      if (isGone(error)) return this.deps.onGone(workerId);
      throw error;
    }
  }

  private failed(error: unknown, failures: number): void {
    const reason = describeError(error);
    this.deps.link.failed(reason);
    if (failures === 1) this.deps.logger.warn({ reason }, 'heartbeat failed');
    else this.deps.logger.debug({ reason, failures }, 'heartbeat still fails');
  }
}
