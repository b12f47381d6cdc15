/** What was done to what. `changes` holds field values and never a secret or its hash. */
export interface AuditEntry {
  readonly action: string;
  readonly targetKind: string;
  readonly targetId: string;
  readonly targetName: string | null;
  readonly domain: string | null;
  readonly projectId: string | null;
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** Who did it; the manager itself has no id. */
export interface AuditActor {
  readonly id: string | null;
  readonly name: string;
  readonly requestId: string | null;
}

/** The actor of changes that no request asked for, such as shrinking the grants of a key. */
export const SYSTEM_ACTOR: AuditActor = { id: null, name: 'system', requestId: null };
