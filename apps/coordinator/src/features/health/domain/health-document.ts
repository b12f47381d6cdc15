export interface ConnectivityCheck {
  readonly service_group: string;
  readonly component_id: string;
  readonly is_healthy: boolean;
  readonly last_checked_at: string;
  readonly error_message: string | null;
}

export interface HealthDocument {
  readonly status: 'ok' | 'degraded' | 'error';
  readonly version: string;
  readonly component: string;
  readonly connectivity: {
    readonly overall_healthy: boolean;
    readonly connectivity_checks: readonly ConnectivityCheck[];
    readonly timestamp: string;
  };
}

/** `degraded` means: something is away and the service answers all the same. */
export function toHealthDocument(
  about: { readonly version: string; readonly component: string },
  checks: readonly ConnectivityCheck[],
  timestamp: string,
): HealthDocument {
  const healthy = checks.every((check) => check.is_healthy);
  return {
    status: healthy ? 'ok' : 'degraded',
    ...about,
    connectivity: { overall_healthy: healthy, connectivity_checks: checks, timestamp },
  };
}
