import { randomUUID } from 'node:crypto';

/** A router authority that no other test uses. */
export function uniqueAuthority(): string {
  return `authority-${randomUUID()}`;
}
