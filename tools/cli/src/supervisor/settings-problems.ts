import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { PlannedNodeService, StackPlan } from '../plan/stack-plan.js';
import { REPOSITORY_ROOT } from '../repository.js';
import { serviceEnvironment, writeConfigFile } from './service-configuration.js';

const TIMEOUT_MS = 30_000;

/**
 * What the services say about the values that `--set` gave them, before anything is started: one after the other,
 * each would be found only when those before it are mended. Nothing is asked when nothing was set.
 */
export async function settingsProblems({ options, services }: StackPlan): Promise<string[]> {
  const set = new Set(options.overrides.map(({ service }) => service as string));
  // All instances of a service have the same settings, so its first one speaks for them.
  const asked = services
    .filter((plan) => plan.kind === 'node')
    .filter(({ name }) => set.has(name.replace(/-1$/, '')));
  const answers = await Promise.all(asked.map(problemOf));
  return answers.filter((answer) => answer !== null);
}

function problemOf(plan: PlannedNodeService): Promise<string | null> {
  writeConfigFile(plan);
  const args = [join(REPOSITORY_ROOT, plan.entry), '--config', plan.configFile, '--check-config'];
  const options = { cwd: REPOSITORY_ROOT, env: serviceEnvironment(process.env), timeout: TIMEOUT_MS };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, _stdout, stderr) => {
      resolve(error === null ? null : stderr.trim() || error.message);
    });
  });
}
