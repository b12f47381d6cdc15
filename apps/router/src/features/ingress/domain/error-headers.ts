import { HEADERS, type AppError } from '@penstock/protocol';

/** The headers an error puts on its answer, flat; the body is JSON. */
export function errorHeaders({ retryAfterSeconds, allow }: AppError): readonly string[] {
  const headers = ['content-type', 'application/json'];
  if (retryAfterSeconds !== undefined) headers.push(HEADERS.retryAfter, String(retryAfterSeconds));
  if (allow !== undefined) headers.push(HEADERS.allow, allow.join(', '));
  return headers;
}
