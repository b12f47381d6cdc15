/** One router process as `./penstock up --json` describes it. */
export interface RouterInfo {
  readonly node_id: string;
  /** Ends in `/v1`. */
  readonly base_url: string;
  readonly admin_url: string;
  /** With `--internal` only. */
  readonly internal_url?: string;
  readonly pid: number;
}

export interface ReplicaInfo {
  readonly deployment_id: string;
  readonly url: string;
  readonly admin_url: string;
}

/** The one JSON object that `./penstock up --json` prints. */
export interface StackInfo {
  readonly base_url: string;
  readonly api_key: string;
  readonly model: string;
  readonly manager_url: string;
  readonly admin_token: string;
  readonly coordinator_url: string;
  readonly api_secret: string;
  readonly authority: string;
  readonly routers: readonly RouterInfo[];
  readonly replicas: readonly ReplicaInfo[];
  readonly pids: Readonly<Record<string, number>>;
}
