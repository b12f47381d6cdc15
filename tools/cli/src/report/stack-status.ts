import type { DataDir } from '../state/data-dir.js';
import { readState, type ServiceState, type StackState, stillRuns } from '../state/stack-state.js';
import { isHeld } from '../supervisor/supervisor-lock.js';
import { routerStatus } from './router-status.js';
import { routerAddresses } from './stack-report.js';

/** What `status --json` prints. Holds no secret. */
export interface StackStatus {
  running: boolean;
  /** Null when there never was a stack; `lost` when its supervisor was killed. */
  phase: StackState['phase'] | 'lost' | null;
  started_at: string | null;
  last_error: string | null;
  data_dir: string;
  supervisor_pid: number | null;
  services: {
    name: string;
    status: ServiceState['status'];
    pid: number | null;
    ports: number[];
    detail: string | null;
  }[];
  routers: {
    node_id: string | null;
    base_url: string;
    admin_url: string;
    internal_url: string | null;
    pid: number | null;
    ready: boolean;
    draining: boolean;
    revision: string | null;
    in_flight: number | null;
  }[];
}

/** Looks at the state file and at the processes themselves, so that a killed supervisor is noticed. */
export async function stackStatus(dir: DataDir): Promise<StackStatus> {
  const state = readState(dir.stateFile);
  const running = isHeld(dir.lockFile);
  return {
    running,
    phase: phaseOf(state, running),
    started_at: state?.started_at ?? null,
    last_error: state?.last_error ?? null,
    data_dir: dir.path,
    supervisor_pid: running ? (state?.supervisor.pid ?? null) : null,
    services: (state?.services ?? []).map(serviceEntry),
    routers: state && running ? await Promise.all(routerAddresses(state).map(routerEntry)) : [],
  };
}

function phaseOf(state: StackState | null, running: boolean): StackStatus['phase'] {
  if (!state) return null;
  const ended = state.phase === 'stopped' || state.phase === 'failed';
  return running || ended ? state.phase : 'lost';
}

function serviceEntry({
  name,
  status,
  process,
  ports,
  detail,
}: ServiceState): StackStatus['services'][number] {
  const alive = process !== null && stillRuns(process);
  const seen = status === 'running' && !alive ? 'failed' : status;
  return { name, status: seen, pid: alive ? process.pid : null, ports, detail };
}

async function routerEntry(
  address: ReturnType<typeof routerAddresses>[number],
): Promise<StackStatus['routers'][number]> {
  const status = await routerStatus(address.admin_url);
  return {
    node_id: status?.node_id ?? null,
    ...address,
    pid: status?.pid ?? null,
    ready: status?.ready ?? false,
    draining: status?.draining ?? false,
    revision: status?.revision ?? null,
    in_flight: status?.in_flight ?? null,
  };
}
