import { AppError } from '@penstock/protocol';
import type { HeadDefect } from '../front.port.js';

/** What of a head decides whether its body is worth reading. */
interface BodyHead {
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly declaredLength: number | null;
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * Refuses a head that HTTP forbids but the parser lets pass.
 * @throws AppError `invalid_request`, `expectation_failed`
 */
export function checkDefect(defect: HeadDefect | null): void {
  switch (defect) {
    case null:
      return;
    case 'hosts':
      throw new AppError('invalid_request', 'HTTP/1.1 requires one `Host` header, and not more.');
    case 'chunks_in_http_1_0':
      throw new AppError('invalid_request', 'HTTP/1.0 has no `Transfer-Encoding`.');
    case 'unknown_expectation':
      throw new AppError('expectation_failed', 'The only expectation met here is `100-continue`.');
  }
}

/**
 * Refuses a body before it is read, where its head says enough.
 * @throws AppError `unsupported_media_type`, `request_too_large`
 */
export function checkBodyHead(head: BodyHead, limitBytes: number): void {
  if (head.contentType === undefined || !JSON_TYPE.test(head.contentType)) {
    const sent = head.contentType === undefined ? 'none was sent' : 'another one was sent';
    throw new AppError('unsupported_media_type', `Send \`content-type: application/json\`; ${sent}.`);
  }
  if (head.contentEncoding !== undefined && !/^identity$/i.test(head.contentEncoding)) {
    throw new AppError('unsupported_media_type', 'Send the body without `content-encoding`.');
  }
  if (head.declaredLength !== null && head.declaredLength > limitBytes) throw tooLarge(limitBytes);
}

export function tooLarge(limitBytes: number): AppError {
  return new AppError(
    'request_too_large',
    `The request body is larger than the limit of ${limitBytes} bytes.`,
  );
}
