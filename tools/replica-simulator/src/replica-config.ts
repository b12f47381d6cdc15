import { parse } from 'yaml';
import { z } from 'zod';

import { behaviourFields, DEFAULT_BEHAVIOUR, patchBehaviour } from './behaviour.js';
import type { ReplicaOptions } from './start-replica.js';

const port = z.int().min(0).max(65_535);

/** One entry of the configuration; unknown keys are errors, so that a misspelt one does not pass silently. */
const replicaSchema = z.strictObject({
  model: z.string().min(1),
  host: z.string().min(1).optional(),
  port: port.optional(),
  admin_port: port.optional(),
  seed: z.int().min(0).max(4_294_967_295).optional(),
  max_concurrent: z.int().min(1).optional(),
  ...behaviourFields,
});

const configSchema = z.strictObject({ replicas: z.array(replicaSchema).min(1).max(1_000) });

export type ReplicaConfig = z.infer<typeof replicaSchema>;

/** Every problem of a configuration at once, each with its place. */
export class ReplicaConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Reads a configuration, JSON or YAML: `{"replicas":[…]}` or the bare list.
 * @throws ReplicaConfigError
 */
export function parseReplicas(text: string): ReplicaOptions[] {
  const value = parseText(text);
  const result = configSchema.safeParse(Array.isArray(value) ? { replicas: value } : value);
  if (result.success) return result.data.replicas.map(toOptions);
  throw new ReplicaConfigError(
    result.error.issues.map(({ path, message }) => `${path.join('.') || 'configuration'}: ${message}`),
  );
}

function parseText(text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    throw new ReplicaConfigError([`configuration: neither JSON nor YAML: ${String(error)}`]);
  }
}

function toOptions(config: ReplicaConfig): ReplicaOptions {
  return {
    model: config.model,
    host: config.host ?? '127.0.0.1',
    port: config.port ?? 0,
    adminPort: config.admin_port ?? 0,
    seed: config.seed ?? 1,
    maxConcurrent: config.max_concurrent ?? 4_096,
    ...patchBehaviour(DEFAULT_BEHAVIOUR, config),
  };
}
