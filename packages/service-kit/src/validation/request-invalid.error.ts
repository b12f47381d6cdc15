import type { z } from 'zod';

/** Which part of a request was refused. */
export type RequestPart = 'body' | 'query' | 'params' | 'headers';

/** Input that does not match its schema. The error filter writes it in the style of the API. */
export class RequestInvalidError extends Error {
  override readonly name = 'RequestInvalidError';

  constructor(
    readonly part: RequestPart,
    override readonly cause: z.ZodError,
  ) {
    super(`The request ${part} does not match its schema.`);
  }
}
