import type { Server } from 'node:net';
import type { Progress } from '@penstock/backing-services';
import { ensureDemo } from '../demo/ensure-demo.js';
import { makePlan } from '../plan/make-plan.js';
import { portNeeds } from '../plan/port-needs.js';
import type { StackOptions } from '../plan/stack-options.js';
import type { StackPlan } from '../plan/stack-plan.js';
import { allocatePorts } from '../state/allocate-ports.js';
import { loadOrCreateCredentials } from '../state/credentials.js';
import { DataDir } from '../state/data-dir.js';
import { refuseOtherMode } from '../state/refuse-other-mode.js';
import { readState } from '../state/stack-state.js';
import { UserError } from '../user-error.js';
import { listenForControl } from './control-server.js';
import { handleControl } from './handle-control.js';
import type { LaunchContext } from './launch-service.js';
import { keepLogsBounded } from './log-keeper.js';
import { ProgressHub } from './progress-hub.js';
import { provisionAll } from './provision-all.js';
import { StackSupervisor } from './stack-supervisor.js';
import { stopLeftovers } from './stop-leftovers.js';
import { settingsProblems } from './settings-problems.js';
import { releaseLock, takeLock } from './supervisor-lock.js';

/** A stack that this process owns. */
export interface RunningStack {
  /** Stops all services. Safe to call while the stack is still starting. */
  stop: () => Promise<void>;
  /** Resolves when the stack was stopped from anywhere. */
  ended: Promise<void>;
  /** Resolves when everything answers; rejects, with everything stopped, when something failed. */
  ready: Promise<void>;
}

/** Becomes the supervisor of the data directory's stack. @throws UserError listing every problem found beforehand. */
export async function runStack(options: StackOptions, progress: Progress): Promise<RunningStack> {
  const dir = new DataDir(options.dataDir);
  dir.create();
  if (!takeLock(dir.lockFile)) throw new UserError(`Another process already runs the stack in ${dir.path}.`);
  try {
    const hub = new ProgressHub(progress);
    const { plan, context } = await prepare(options, dir, hub.tell);
    return await supervise(new StackSupervisor(plan, context, hub.tell), plan, context, hub);
  } catch (error) {
    releaseLock(dir.lockFile);
    throw error;
  }
}

async function prepare(
  options: StackOptions,
  dir: DataDir,
  progress: Progress,
): Promise<{ plan: StackPlan; context: LaunchContext }> {
  const previous = readState(dir.stateFile);
  await stopLeftovers(previous, progress);
  refuseOtherMode(options, previous);
  const { ports, problems } = await allocatePorts(portNeeds(options), options, previous?.ports ?? null);
  const provisioned = await provisionAll(progress);
  const credentials = loadOrCreateCredentials(dir.credentialsFile);
  const plan = makePlan(options, credentials, ports);
  problems.push(...provisioned.problems, ...(await settingsProblems(plan)));
  if (problems.length > 0) throw UserError.of(problems);
  return { plan, context: { dir, credentials, installations: provisioned.installations } };
}

async function supervise(
  supervisor: StackSupervisor,
  plan: StackPlan,
  context: LaunchContext,
  hub: ProgressHub,
): Promise<RunningStack> {
  const { dir } = context;
  const stopKeeping = keepLogsBounded(dir.logsDir);
  const ending = Promise.withResolvers<void>();
  const stop = async (): Promise<void> => {
    await supervisor.stopAll();
    ending.resolve();
  };
  const server = await listenForControl(dir.controlSocket, (request, tell) =>
    hub.during(tell, () => handleControl(request, supervisor, stop, hub.tell)),
  );
  const ready = bringUp(supervisor, plan, context, hub.tell);
  ready.catch(() => ending.resolve());
  const ended = ending.promise.then(() => {
    stopKeeping();
    return tidyUp(server, dir);
  });
  return { stop, ended, ready };
}

async function bringUp(
  supervisor: StackSupervisor,
  plan: StackPlan,
  context: LaunchContext,
  progress: Progress,
): Promise<void> {
  await supervisor.startAll();
  try {
    if (plan.options.demo) await ensureDemo(plan, context, progress);
    supervisor.markReady();
  } catch (error) {
    await supervisor.fail(error);
    throw error;
  }
}

async function tidyUp(server: Server, dir: DataDir): Promise<void> {
  releaseLock(dir.lockFile);
  // Also removes the socket file; whoever asked for the stop still gets the answer.
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}
