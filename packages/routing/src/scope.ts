/** A replica as selection sees it. `R` is whatever the caller keeps per replica. */
export interface ReplicaChoice<R> {
  readonly replica: R;
  /** 0 drains. */
  readonly weight: number;
}

/** One selection scope: the replicas of one group. */
export interface GroupChoice<R> {
  /** 0 drains. */
  readonly weight: number;
  /** Serves only when no other group of its endpoint does. */
  readonly fallbackOnly: boolean;
  readonly replicas: readonly ReplicaChoice<R>[];
}

/** One deployment endpoint a model name is mapped to. */
export interface EndpointChoice<R> {
  /** 0 drains. */
  readonly weight: number;
  readonly groups: readonly GroupChoice<R>[];
}
