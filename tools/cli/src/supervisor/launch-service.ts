import { join } from 'node:path';
import {
  BACKING_SERVICES,
  type BackingServiceName,
  type Installation,
  ManagedProcess,
  type RunningService,
  type StopStep,
  waitUntil,
} from '@penstock/backing-services';
import type { PlannedBackingService, PlannedNodeService, ServicePlan } from '../plan/stack-plan.js';
import { REPOSITORY_ROOT } from '../repository.js';
import type { Credentials } from '../state/credentials.js';
import type { DataDir } from '../state/data-dir.js';
import { UserError } from '../user-error.js';
import { answersOk } from './answers-ok.js';
import { serviceEnvironment, writeConfigFile } from './service-configuration.js';

/** What starting needs beside the plan of the one service. */
export interface LaunchContext {
  dir: DataDir;
  credentials: Credentials;
  installations: Record<BackingServiceName, Installation>;
}

/** Told about a process as soon as it exists, which is before it answers. */
export type OnSpawned = (process: Pick<RunningService, 'pid' | 'exited' | 'stop'>) => void;

/** Starts one service and waits until it answers. @throws with the end of its log when it does not. */
export function launchService(
  plan: ServicePlan,
  context: LaunchContext,
  onSpawned: OnSpawned,
): Promise<void> {
  return plan.kind === 'backing'
    ? launchBackingService(plan, context, onSpawned)
    : launchNodeService(plan, context, onSpawned);
}

async function launchBackingService(
  plan: PlannedBackingService,
  { dir, credentials, installations }: LaunchContext,
  onSpawned: OnSpawned,
): Promise<void> {
  const running = await BACKING_SERVICES[plan.backing].start({
    installation: installations[plan.backing],
    dir: plan.dir,
    port: plan.port,
    portFlag: plan.portFlag,
    password: credentials[`${plan.backing}_password`],
    logFile: dir.logFile(plan.name),
    durability: 'durable',
  });
  onSpawned(running);
}

async function launchNodeService(
  plan: PlannedNodeService,
  { dir }: LaunchContext,
  onSpawned: OnSpawned,
): Promise<void> {
  writeConfigFile(plan);
  const logFile = dir.logFile(plan.name);
  const child = await ManagedProcess.start({
    command: process.execPath,
    args: [join(REPOSITORY_ROOT, plan.entry), '--config', plan.configFile],
    cwd: REPOSITORY_ROOT,
    env: serviceEnvironment(process.env),
    logFile,
  });
  const steps: StopStep[] = [{ signal: 'SIGTERM', waitMs: plan.stopTimeoutMs }];
  const stop = async (): Promise<void> => {
    await child.stop(steps);
  };
  onSpawned({ pid: child.pid, exited: child.exited.then(() => undefined), stop });
  const ready = await waitUntil(
    () => allAnswer(plan),
    plan.readyTimeoutMs,
    () => child.exit !== null,
  );
  if (!ready) throw new UserError(`${reasonOf(plan, child)} The end of ${logFile}:\n${child.logTail()}`);
}

async function allAnswer(plan: PlannedNodeService): Promise<boolean> {
  const answers = await Promise.all(plan.readyUrls.map((url) => answersOk(url)));
  return answers.every(Boolean);
}

function reasonOf(plan: PlannedNodeService, child: ManagedProcess): string {
  if (!child.exit) return `${plan.name} was not ready within ${Math.round(plan.readyTimeoutMs / 1000)} s.`;
  return `${plan.name} ended while starting (${child.exit.signal ?? `exit code ${child.exit.code}`}).`;
}
