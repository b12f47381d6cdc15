import { stringify } from 'yaml';
import type { PlannedNodeService } from '../plan/stack-plan.js';
import { writePrivateFile } from '../state/write-private-file.js';

/** Writes down what the service will read. Contains secrets. */
export function writeConfigFile(plan: PlannedNodeService): void {
  writePrivateFile(plan.configFile, configText(plan));
}

/** JSON where the program reads JSON only; every JSON text is YAML as well, but people read YAML more easily. */
function configText(plan: PlannedNodeService): string {
  return plan.configFile.endsWith('.json')
    ? `${JSON.stringify(plan.config, null, 2)}\n`
    : stringify(plan.config);
}

/** Options of the program that started us, such as a debugger's port, are not for the services. */
export function serviceEnvironment({ NODE_OPTIONS: _ours, ...rest }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { NODE_ENV: 'production', ...rest };
}
