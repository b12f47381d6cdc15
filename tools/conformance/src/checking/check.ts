import type { Mutation } from '../mutation/mutation.js';

/** One demand of the AppProxy protocol and how it is put to the test. */
export interface Check<Bench> {
  /** `<topic>.<what>`, for ever the same: deviations and reports refer to it. */
  readonly id: string;
  /** Section of the AppProxy protocol. */
  readonly section: string;
  /** What must hold, as a sentence without a subject. */
  readonly title: string;
  /** What else it needs than an address and the secret. */
  readonly needs?: readonly Need[];
  /** Checks of one phase run beside each other, or one after the other where the phase says so. Default: the first. */
  readonly phase?: string;
  /** Milliseconds until it has failed. Default: 10 s. */
  readonly deadlineMs?: number;
  /** @throws CheckFailed, or CheckSkipped. Anything else counts as a failure too. */
  readonly run: (bench: Bench) => Promise<void>;
  /** A fault of the peer that this check, and no other, must find. */
  readonly mutation: Mutation;
}

/** `slow` checks wait for time-outs of the peer and run only when asked for. */
export type Need = 'bus' | 'jwt' | 'slow' | 'extensions' | 'departure';

export const DEFAULT_DEADLINE_MS = 10_000;
