import { resolve } from 'node:path';

import type { z } from 'zod';

import { ConfigError } from './config-error.js';
import { applyEnvironment } from './environment-overrides.js';
import type { Environment } from './interpolate.js';
import { NO_DOCUMENT, readDocument } from './read-document.js';
import { resolveDocument } from './resolve-document.js';
import { leavesOf } from './schema-walk.js';
import { validate } from './validate.js';

export interface LoadConfigOptions<S extends z.ZodType> {
  /** `router`, `coordinator`, …: names the service in messages and in `PENSTOCK_<SERVICE>_*`. */
  readonly service: string;
  readonly schema: S;
  /** Arguments after the script. Default: those of this process. Only `--config PATH` is read. */
  readonly argv?: readonly string[];
  /** Default: the environment of this process. */
  readonly env?: Environment;
  /** Overrides `--config` and PENSTOCK_CONFIG. */
  readonly file?: string;
}

export type ReloadResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly string[] };

/** Where a configuration came from, to read it again while the process runs. */
export interface ConfigSource<T> {
  /** Absolute path, or null when everything came from the environment and defaults. */
  readonly file: string | null;
  /** The last value that was valid. */
  current(): T;
  /** Reads everything again. When something is wrong the last good value stays. */
  reload(): ReloadResult<T>;
}

export interface LoadedConfig<T> {
  readonly value: T;
  readonly source: ConfigSource<T>;
}

/**
 * Reads the service's one configuration file and the variables that override single values.
 * @throws ConfigError with every problem found
 */
export function loadConfig<S extends z.ZodType>(options: LoadConfigOptions<S>): LoadedConfig<z.output<S>> {
  const first = readAll(options);
  if (!first.ok) throw new ConfigError(options.service, first.problems);
  let last = first.value;
  const source: ConfigSource<z.output<S>> = {
    file: first.file,
    current: () => last,
    reload: () => {
      const next = readAll(options);
      if (next.ok) last = next.value;
      return next;
    },
  };
  return { value: first.value, source };
}

type ReadResult<T> = ReloadResult<T> & { readonly file: string | null };

function readAll<S extends z.ZodType>(options: LoadConfigOptions<S>): ReadResult<z.output<S>> {
  const { service, schema, env = process.env } = options;
  const located = locateFile(options, env);
  if ('problem' in located) return { ok: false, problems: [located.problem], file: null };
  const { file } = located;
  const document = file === null ? NO_DOCUMENT : readDocument(file);
  const problems = [...document.problems];
  // A file that cannot be read lacks every key: saying so for each would bury the one thing to do.
  if (problems.length > 0) return { ok: false, problems, file };
  const leaves = leavesOf(schema);
  const unresolved = new Set<string>();
  const values = resolveDocument(schema, { document, file, env, problems, unresolved });
  applyEnvironment(values, { service, leaves, env, problems, unresolved });
  const value = validate(schema, values, { service, leaves, document, file, problems, unresolved });
  if (problems.length > 0 || value === undefined)
    return { ok: false, problems: [...new Set(problems)], file };
  return { ok: true, value, file };
}

function locateFile(
  options: Pick<LoadConfigOptions<z.ZodType>, 'argv' | 'file'>,
  env: Environment,
): { readonly file: string | null } | { readonly problem: string } {
  if (options.file !== undefined) return { file: resolve(options.file) };
  const argument = configArgument(options.argv ?? process.argv.slice(2));
  if (argument === '') return { problem: '--config needs the path of a file after it' };
  const path = argument ?? env.PENSTOCK_CONFIG;
  return { file: path === undefined || path === '' ? null : resolve(path) };
}

/** The value of `--config`, an empty string when it is missing, undefined when the option is not there. */
function configArgument(argv: readonly string[]): string | undefined {
  const index = argv.findIndex((argument) => argument === '--config' || argument.startsWith('--config='));
  if (index === -1) return undefined;
  const [, inline] = /^--config=(.*)$/.exec(argv[index] ?? '') ?? [];
  return inline ?? argv[index + 1] ?? '';
}
