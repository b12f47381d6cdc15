import type { z } from 'zod';

import { ConfigError } from './config-error.js';
import { loadConfig, type LoadConfigOptions, type LoadedConfig } from './load-config.js';

/** `EX_CONFIG` of sysexits.h: supervisors can tell a configuration mistake from a crash. */
const EXIT_CONFIG = 78;

/** With this argument a service only says whether it could start with its configuration. */
const CHECK_ONLY = '--check-config';

/**
 * For `main.ts`: reads the configuration, or prints every problem to stderr and ends the process with code 78.
 * With `--check-config` it ends with code 0 when there is none.
 */
export function loadConfigOrExit<S extends z.ZodType>(
  options: LoadConfigOptions<S>,
): LoadedConfig<z.output<S>> {
  try {
    const loaded = loadConfig(options);
    if ((options.argv ?? process.argv).includes(CHECK_ONLY)) process.exit(0);
    return loaded;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIG);
  }
}
