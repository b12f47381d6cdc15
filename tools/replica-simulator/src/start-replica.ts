import { AdminServer } from './admin-server.js';
import { DEFAULT_BEHAVIOUR, type Behaviour } from './behaviour.js';
import { Listener } from './listener.js';
import { ModelServer } from './model-server.js';
import { ReplicaState } from './replica-state.js';

/** Ports of 0 or left out are chosen by the system. Times in milliseconds. */
export interface ReplicaOptions extends Partial<Behaviour> {
  /** The one name this replica serves; any other name gets 404. */
  readonly model: string;
  readonly host?: string;
  readonly port?: number;
  readonly adminPort?: number;
  /** Two replicas with the same seed give the same texts. */
  readonly seed?: number;
  /** Requests that generate at the same time; more of them wait. */
  readonly maxConcurrent?: number;
  readonly now?: () => number;
}

export interface RunningReplica {
  readonly model: string;
  readonly url: string;
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts one simulated replica with its model listener and its admin listener.
 * @throws the listen error of node, when a port is taken; nothing stays open then
 */
export async function startReplica(options: ReplicaOptions): Promise<RunningReplica> {
  const state = new ReplicaState({
    model: options.model,
    seed: options.seed ?? 1,
    maxConcurrent: options.maxConcurrent ?? 4_096,
    behaviour: behaviourOf(options),
    now: options.now ?? Date.now,
  });
  const host = options.host ?? '127.0.0.1';
  const server = new ModelServer(state);
  const models = new Listener(host, options.port ?? 0, (request, response) =>
    server.handle(request, response),
  );
  const admin = new AdminServer(state, models);
  const control = new Listener(host, options.adminPort ?? 0, (request, response) =>
    admin.handle(request, response),
  );
  const stop = async (): Promise<void> => {
    await Promise.all([models.close(), control.close()]);
  };
  await Promise.all([models.open(), control.open()]).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { model: options.model, url: models.url, adminUrl: control.url, stop };
}

function behaviourOf(options: ReplicaOptions): Behaviour {
  return {
    ttftMs: options.ttftMs ?? DEFAULT_BEHAVIOUR.ttftMs,
    interTokenMs: options.interTokenMs ?? DEFAULT_BEHAVIOUR.interTokenMs,
    tokens: options.tokens ?? DEFAULT_BEHAVIOUR.tokens,
    deterministic: options.deterministic ?? DEFAULT_BEHAVIOUR.deterministic,
    kvCacheUsage: options.kvCacheUsage ?? DEFAULT_BEHAVIOUR.kvCacheUsage,
  };
}
