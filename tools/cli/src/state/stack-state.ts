import { readFileSync } from 'node:fs';
import { isAlive, processStartMark } from '@penstock/backing-services';
import { z } from 'zod';
import type { PortMap } from '../plan/port-needs.js';
import { LOG_LEVELS, PORT_KINDS, ROUTER_MODES } from '../plan/stack-options.js';
import { writePrivateFile } from './write-private-file.js';

const processSchema = z.object({ pid: z.int().min(2), mark: z.string().nullable() });

const serviceStateSchema = z.object({
  name: z.string(),
  status: z.enum(['waiting', 'starting', 'running', 'stopped', 'failed']),
  /** Why it is not running, in plain words. */
  detail: z.string().nullable(),
  process: processSchema.nullable(),
  ports: z.array(z.int()),
});

const stateSchema = z.object({
  supervisor: processSchema,
  phase: z.enum(['starting', 'ready', 'stopping', 'stopped', 'failed']),
  started_at: z.string(),
  last_error: z.string().nullable(),
  options: z.object({
    demo: z.boolean(),
    mode: z.enum(ROUTER_MODES),
    wildcard_domain: z.string().nullable().default(null),
    internal: z.boolean().default(false),
    workers: z.int(),
    routers: z.int(),
    coordinators: z.int(),
    authority: z.string(),
    log_level: z.enum(LOG_LEVELS),
  }),
  /** A kind of port that an older version did not know has none. */
  ports: z.partialRecord(z.enum(PORT_KINDS), z.array(z.int())).transform(withAllKinds),
  services: z.array(serviceStateSchema),
});

function withAllKinds(ports: Partial<PortMap>): PortMap {
  return Object.fromEntries(PORT_KINDS.map((kind) => [kind, ports[kind] ?? []])) as PortMap;
}

/** What a supervisor writes down about its stack, for later commands and for the next start. Holds no secret. */
export type StackState = z.infer<typeof stateSchema>;
export type ServiceState = z.infer<typeof serviceStateSchema>;
export type RecordedProcess = z.infer<typeof processSchema>;

/** Null when there is none, or one that an older version wrote. */
export function readState(file: string): StackState | null {
  try {
    return stateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

export function writeState(file: string, state: StackState): void {
  writePrivateFile(file, `${JSON.stringify(state, null, 2)}\n`);
}

export function recordProcess(pid: number): RecordedProcess {
  return { pid, mark: processStartMark(pid) };
}

/** True when it is that very process, not a later one with the same id. */
export function stillRuns(recorded: RecordedProcess): boolean {
  return isAlive(recorded.pid) && processStartMark(recorded.pid) === recorded.mark;
}
