import { z } from 'zod';

export const frontendModeSchema = z.enum(['wildcard', 'port', 'router']);
export type FrontendMode = z.output<typeof frontendModeSchema>;

export const proxyProtocolSchema = z.enum(['http', 'grpc', 'h2', 'tcp', 'preopen', 'vnc', 'rdp']);
export type ProxyProtocol = z.output<typeof proxyProtocolSchema>;

/** Traffic type, as in `app_mode` and `accepted_traffics`. */
export const appModeSchema = z.enum(['interactive', 'inference']);
export type AppMode = z.output<typeof appModeSchema>;

export const replicaGroupLifecycleSchema = z.enum(['rolling', 'stable', 'failed', 'draining', 'drained']);
export type ReplicaGroupLifecycle = z.output<typeof replicaGroupLifecycleSchema>;

/** Both spellings of the reserved value are read; the worker-facing wire has the underscore. */
export const controlModeSchema = z.preprocess(
  (input) => (input === 'strategy-managed' ? 'strategy_managed' : input),
  z.enum(['manual', 'strategy_managed']),
);
export type ControlMode = z.output<typeof controlModeSchema>;
