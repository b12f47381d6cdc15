import type { TokenCipher } from './domain/token-cipher.js';
import type { ServiceEnvironmentSink } from './service-environment-sink.port.js';

/** What the composition root gives the feature. */
export interface BindingsOptions {
  /** Null without a configured key: then nothing can be bound. */
  readonly cipher: TokenCipher | null;
  readonly sink: ServiceEnvironmentSink | null;
  readonly checkIntervalMs: number;
}

export const TOKEN_CIPHER = Symbol('TokenCipher');
export const ROTATION_CHECK_INTERVAL_MS = Symbol('rotation check interval');
