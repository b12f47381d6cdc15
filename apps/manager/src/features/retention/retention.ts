/** Ages in days. */
export interface Retention {
  /** Null keeps them for ever. */
  readonly auditDays: number | null;
  readonly tombstoneDays: number;
  /** Counted from the expiry. */
  readonly expiredTokenDays: number;
}

export const RETENTION = Symbol('Retention');
