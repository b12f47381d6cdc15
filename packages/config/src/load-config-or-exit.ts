import type { z } from 'zod';

import { ConfigError } from './config-error.js';
import { loadConfig, type LoadConfigOptions, type LoadedConfig } from './load-config.js';

/** `EX_CONFIG` of sysexits.h: supervisors can tell a configuration mistake from a crash. */
const EXIT_CONFIG = 78;

/** For `main.ts`: reads the configuration, or prints every problem to stderr and ends the process with code 78. */
export function loadConfigOrExit<S extends z.ZodType>(
  options: LoadConfigOptions<S>,
): LoadedConfig<z.output<S>> {
  try {
    return loadConfig(options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIG);
  }
}
