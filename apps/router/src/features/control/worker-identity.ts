/** Who this process is to the coordinator. Fixed from its start to its end. */
export interface WorkerIdentity {
  readonly authority: string;
  /** New with every process start: a restarted process is another node. */
  readonly nodeId: string;
  /** Software version. */
  readonly version: string;
}
