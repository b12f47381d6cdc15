import { describeError } from '../../system-error.js';
import type { Logger } from '@penstock/observability';
import type { Circuit } from '@penstock/protocol';
import type { Clock } from './clock.port.js';
import type { ControlMetrics } from './control-metrics.js';
import { periodicDelayMs, type ControlTimings } from './control-timings.js';
import type { CoordinatorClient } from './coordinator-client.port.js';
import { isGone, type CoordinatorLink } from './coordinator-link.js';
import type { PulledConfig } from './domain/apply-pull.js';
import type { DesiredStateStore, PulledHalves } from './desired-state.store.js';
import { widerScope, type PullScope } from './pull-scope.js';
import { RepeatingTask } from './repeating-task.js';

interface Dependencies {
  readonly client: CoordinatorClient;
  readonly link: CoordinatorLink;
  readonly state: DesiredStateStore;
  readonly clock: Clock;
  readonly timings: () => ControlTimings;
  readonly metrics: ControlMetrics;
  readonly logger: Logger;
  /** The coordinator answered 404. */
  readonly onGone: (workerId: string) => void;
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error };

/**
 * Pulls the desired state: periodically, and at once when asked. Requests made while a pull runs are answered together
 * by the one pull after it, because only a pull that started later is sure to contain what they are about.
 */
export class PullSnapshotService {
  private readonly task: RepeatingTask;
  /** Null when nobody asked: the timer did, and then everything is due. */
  private wanted: PullScope | null = null;
  private isStarted = false;
  private lastFullAtMs = Number.NEGATIVE_INFINITY;
  /** Worker whose revision is known: another worker's numbers mean something else. */
  private knownFrom: string | null = null;

  constructor(private readonly deps: Dependencies) {
    this.task = new RepeatingTask({
      run: () => this.pull(),
      nextDelay: (failures, error) =>
        periodicDelayMs(
          deps.timings(),
          deps.timings().reconcileIntervalMs,
          { failures, error },
          deps.clock.random(),
        ),
      clock: deps.clock,
      onFailure: (error, failures) => this.report(error, failures),
    });
  }

  /** Pulls everything now, and from now on periodically. */
  start(): void {
    this.wanted = 'all';
    if (this.isStarted) this.task.trigger();
    else this.task.start();
    this.isStarted = true;
  }

  /** Asks for a pull that starts from now on. */
  request(scope: PullScope): void {
    this.wanted = this.wanted === null ? scope : widerScope(this.wanted, scope);
    this.task.trigger();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async pull(): Promise<void> {
    const { link, client, state, clock } = this.deps;
    const { workerId } = link;
    if (workerId === null) return;
    const startedMs = clock.now();
    const scope = this.takeScope(startedMs);
    const held = state.current;
    const revision = this.knownFrom === workerId ? held.revision : null;
    const ticket = state.beginPull();
    const [circuits, config] = await Promise.all([
      scope === 'all' ? settle(client.circuits(workerId, held.circuits)) : null,
      settle(client.routerConfig(workerId, { ...held, revision })),
    ]);
    const isServed = state.completePull(ticket, halves(circuits, config));
    if (config.ok && state.current.revision !== null) this.knownFrom = workerId;
    if (circuits?.ok) this.lastFullAtMs = startedMs;
    this.finish(workerId, [circuits, config], isServed, startedMs);
  }

  /** Hints narrow a pull, but a steady flow of them must not put off the full one for ever. */
  private takeScope(nowMs: number): PullScope {
    const isFullDue = nowMs - this.lastFullAtMs >= this.deps.timings().reconcileIntervalMs;
    const scope = isFullDue ? 'all' : (this.wanted ?? 'all');
    this.wanted = null;
    return scope;
  }

  /** A refused answer is not asked for again at once: it would be the same. Its reason stays on the status page. */
  private finish(
    workerId: string,
    results: readonly (Settled<unknown> | null)[],
    isServed: boolean,
    startedMs: number,
  ): void {
    const { clock, metrics, link, onGone } = this.deps;
    const failure = results.find((result) => result?.ok === false);
    const outcome = failure ? 'failed' : isServed ? 'ok' : 'refused';
    metrics.pulled(outcome, (clock.now() - startedMs) / 1000);
    if (outcome === 'ok') link.pulled();
    if (!failure) return;
    if (!isGone(failure.error)) throw failure.error;
    onGone(workerId);
  }

  private report(error: unknown, failures: number): void {
    const reason = describeError(error);
    this.deps.link.failed(reason);
    if (failures === 1) this.deps.logger.warn({ reason }, 'pull failed, serving the last good state');
    else this.deps.logger.debug({ reason, failures }, 'pull still fails');
  }
}

function settle<T>(call: Promise<T>): Promise<Settled<T>> {
  return call.then(
    (value) => ({ ok: true, value }),
    (error: Error) => ({ ok: false, error }),
  );
}

function halves(
  circuits: Settled<readonly Circuit[]> | null,
  config: Settled<PulledConfig | null>,
): PulledHalves {
  return {
    circuits: circuits?.ok ? circuits.value : null,
    config: config.ok ? (config.value ?? 'unchanged') : null,
  };
}
