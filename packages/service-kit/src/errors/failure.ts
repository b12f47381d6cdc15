import type { AppError, WireError } from '@penstock/protocol';

import type { RequestInvalidError } from '../validation/request-invalid.error.js';

/** Everything that can end a request without its result, before it is written in the style of an API. */
export type Failure =
  | { readonly kind: 'app'; readonly error: AppError }
  | { readonly kind: 'wire'; readonly error: WireError }
  | { readonly kind: 'invalid'; readonly error: RequestInvalidError }
  | { readonly kind: 'unknown-url' }
  | { readonly kind: 'method-not-allowed'; readonly method: string; readonly allowed: readonly string[] }
  | { readonly kind: 'malformed-body'; readonly message: string }
  | { readonly kind: 'malformed-request'; readonly message: string }
  | { readonly kind: 'body-too-large' }
  | { readonly kind: 'unsupported-media-type'; readonly message: string }
  | { readonly kind: 'headers-too-large' }
  | { readonly kind: 'request-timeout' }
  | { readonly kind: 'status'; readonly status: number; readonly message: string }
  | { readonly kind: 'internal'; readonly cause: unknown };

/** A body the parser refuses. */
export class BodyRefusedError extends Error {
  override readonly name = 'BodyRefusedError';

  constructor(readonly failure: Failure) {
    super('The request body was refused.');
  }
}
