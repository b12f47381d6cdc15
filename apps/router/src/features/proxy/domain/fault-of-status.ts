import type { Fault } from '@penstock/protocol';

/** Whose doing a replica's status is: its own refusal is its verdict on the request, its 5xx its own fault. */
export function faultOfStatus(status: number): Fault | null {
  if (status < 400) return null;
  return status < 500 && status !== 429 ? 'client' : 'upstream';
}
