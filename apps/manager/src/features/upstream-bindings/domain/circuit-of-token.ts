import { z } from 'zod';

const claimsSchema = z.object({ id: z.string() });

/**
 * The circuit an access token is for: the one claim that routers compare. The token is our own and comes from under
 * lock, so its signature is not looked at.
 * @returns null for a text that is no such token
 */
export function circuitOfToken(token: string): string | null {
  const [, claims = ''] = token.split('.');
  try {
    const parsed = claimsSchema.safeParse(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')));
    return parsed.success ? parsed.data.id : null;
  } catch {
    return null;
  }
}
