/** Time and chance, handed in so that tests decide about both. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Runs `task` once after the delay. @returns a function that prevents it */
  readonly after: (delayMs: number, task: () => void) => () => void;
  /** A number in [0, 1). */
  readonly random: () => number;
}
