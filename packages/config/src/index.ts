/** Strict configuration: one file per service, references to the environment and to secret files, no surprises. */
export { ConfigError } from './config-error.js';
export { describeConfig, renderConfigTable, type ConfigRow } from './describe-config.js';
export {
  loadConfig,
  type ConfigSource,
  type LoadConfigOptions,
  type LoadedConfig,
  type ReloadResult,
} from './load-config.js';
export { loadConfigOrExit } from './load-config-or-exit.js';
export { reloadConfig, type ReloadLogger } from './reload-config.js';
export { secret } from './secret.js';
