/** What a bound deployment's service is given of its secrets; more may join. */
export interface DeliveredSecrets {
  readonly BACKENDAI_UPSTREAM_TOKEN: string;
}

/**
 * Brings secrets to where the service of a deployment runs, outside the API. Files on a shared folder today; whatever
 * starts containers is another adapter. All calls may be repeated.
 */
export interface ServiceEnvironmentSink {
  /** Where the service finds its token: the value of `BACKENDAI_UPSTREAM_TOKEN_FILE`. */
  tokenFile(deploymentId: string): string;
  /** Replaces what was delivered before; a reader sees the old or the new, never a part. */
  deliver(deploymentId: string, secrets: DeliveredSecrets): Promise<void>;
  withdraw(deploymentId: string): Promise<void>;
  /** Ids of deployments that have something delivered, whoever did it. */
  delivered(): Promise<string[]>;
}

/** Bound to null where nothing is configured: then the API is the only way. */
export const SERVICE_ENVIRONMENT_SINK = Symbol('ServiceEnvironmentSink');
