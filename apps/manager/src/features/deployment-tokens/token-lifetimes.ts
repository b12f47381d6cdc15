import { fieldProblem } from '../../problems.js';

/** Bounds of what cannot be revoked. */
export interface TokenLifetimes {
  readonly defaultSeconds: number;
  readonly maxSeconds: number;
}

export const TOKEN_LIFETIMES = Symbol('TokenLifetimes');

/**
 * When a token ends, in whole seconds, as its claim will say.
 * @param wanted - null: after the default lifetime
 * @throws AppError `request.invalid` for a time that has passed or lies too far ahead
 */
export function chooseExpiry(wanted: string | null, lifetimes: TokenLifetimes, now: Date): Date {
  const nowMs = now.getTime();
  const expiryMs = wanted === null ? nowMs + lifetimes.defaultSeconds * 1_000 : Date.parse(wanted);
  const expiry = new Date(Math.floor(expiryMs / 1_000) * 1_000);
  if (expiry.getTime() <= nowMs) throw fieldProblem('expires_at', 'This time has passed.');
  if (expiry.getTime() > nowMs + lifetimes.maxSeconds * 1_000) {
    throw fieldProblem('expires_at', `A token may live for ${lifetimes.maxSeconds} seconds at most.`);
  }
  return expiry;
}
