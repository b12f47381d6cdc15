/** One thing the load is sent to. */
export interface Target {
  readonly name: TargetName;
  readonly port: number;
  /** The process whose CPU time counts, with its children; null when it is not under test. */
  readonly pid: number | null;
  stop(): Promise<void>;
}

export type TargetName = 'direct' | 'nginx' | 'naive' | 'penstock';

/** What every target is started with. */
export interface Bench {
  readonly mockPort: number;
  /** A directory of this run for configuration and logs. */
  readonly workDir: string;
}
