import { AppError } from '@penstock/protocol';
import { TokenBucket } from '@penstock/routing';
import type { KeyEntry, Snapshot } from '../snapshot/index.js';

/**
 * Decides whether an authenticated caller may come in now: its address, then its rate. Rates are this process's share
 * of the key's limit and are kept in memory only, so no wait for anything outside the process.
 */
export class AdmissionService {
  private readonly buckets = new Map<string, TokenBucket>();

  /**
   * @param nowMs - wall clock in milliseconds; a step of it costs or grants at most one minute's worth
   * @throws AppError `client_ip_not_allowed`, `rate_limit_exceeded`
   */
  admit(key: KeyEntry, peer: string, nowMs: number): void {
    if (key.allowsClient !== null && !key.allowsClient(peer)) {
      throw new AppError('client_ip_not_allowed', 'This API key may not be used from this client address.');
    }
    if (key.rateLimitPerMinute === null) return;
    const admission = this.bucket(key.keyId, key.rateLimitPerMinute, nowMs).take(nowMs);
    if (!admission.allowed) throw limited(admission.retryAfterMs);
  }

  /** Forgets the buckets of keys that are gone; one that only got another hash or rate keeps its bucket. */
  forgetRemoved(next: Snapshot, previous: Snapshot): void {
    const { removed, added } = next.keysByHash.changesSince(previous.keysByHash);
    const kept = new Set(added.map(({ keyId }) => keyId));
    for (const { keyId } of removed) if (!kept.has(keyId)) this.buckets.delete(keyId);
  }

  private bucket(keyId: string, perMinute: number, nowMs: number): TokenBucket {
    let bucket = this.buckets.get(keyId);
    if (bucket === undefined) {
      bucket = new TokenBucket(perMinute, nowMs);
      this.buckets.set(keyId, bucket);
    } else bucket.setRate(perMinute);
    return bucket;
  }
}

function limited(retryAfterMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const message = `Rate limit of this API key exceeded. Try again in ${retryAfterSeconds} s.`;
  return new AppError('rate_limit_exceeded', message, { retryAfterSeconds });
}
