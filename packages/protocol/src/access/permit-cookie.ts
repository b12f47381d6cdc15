import { createHmac } from 'node:crypto';

export const PERMIT_COOKIE = 'appproxy_permit';

/** Digests a permit may be made with. */
export const PERMIT_DIGESTS = ['sha224', 'sha256', 'sha384', 'sha512'] as const;
export type PermitDigest = (typeof PERMIT_DIGESTS)[number];

/**
 * Value of the cookie that admits `userId` to its interactive apps: base64 of the HMAC's lower-case hex, as stock
 * workers compute it. On the wire it is quoted, because it may end in `=`.
 */
export function permitCookieValue(secret: string, userId: string, digest: PermitDigest = 'sha256'): string {
  const hex = createHmac(digest, secret).update(userId.toLowerCase(), 'utf8').digest('hex');
  return Buffer.from(hex, 'ascii').toString('base64');
}
