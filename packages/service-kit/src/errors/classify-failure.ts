import { HttpException } from '@nestjs/common';
import { AppError, WireError } from '@penstock/protocol';

import { RequestInvalidError } from '../validation/request-invalid.error.js';
import { BodyRefusedError, type Failure } from './failure.js';

/** Translates a foreign error (a driver's, say) into one of ours; undefined leaves it as it is. */
export type MapError = (error: unknown) => AppError | WireError | undefined;

/** Finds out what a thrown thing means. Whatever is not known is our fault and says nothing to the caller. */
export function classifyFailure(error: unknown, mapError: MapError = () => undefined): Failure {
  const known = ours(error);
  if (known !== undefined) return known;
  const mapped = mapError(error);
  if (mapped !== undefined) return ours(mapped) ?? { kind: 'internal', cause: error };
  if (error instanceof HttpException) return fromHttpException(error);
  return fromFramework(error) ?? { kind: 'internal', cause: error };
}

function ours(error: unknown): Failure | undefined {
  if (error instanceof AppError) return { kind: 'app', error };
  if (error instanceof WireError) return { kind: 'wire', error };
  if (error instanceof RequestInvalidError) return { kind: 'invalid', error };
  if (error instanceof BodyRefusedError) return error.failure;
  return undefined;
}

/** Nest wraps what Fastify threw; the code inside tells more than the status. */
function fromHttpException(error: HttpException): Failure {
  const inner = ours(error.cause) ?? fromFramework(error.cause);
  if (inner !== undefined) return inner;
  const status = error.getStatus();
  return status >= 500 && status !== 503
    ? { kind: 'internal', cause: error }
    : { kind: 'status', status, message: error.message };
}

const MALFORMED_URL = 'The URL is malformed: check its percent-encoding.';

function fromFramework(error: unknown): Failure | undefined {
  const { code, statusCode } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    statusCode?: unknown;
  };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { kind: 'body-too-large' };
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { kind: 'malformed-body', message: 'The body is not as long as Content-Length says.' };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { kind: 'unsupported-media-type', message: 'Send JSON, with Content-Type: application/json.' };
    case 'FST_ERR_BAD_URL':
      return { kind: 'malformed-request', message: MALFORMED_URL };
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return { kind: 'malformed-request', message: 'A part of the URL path is too long.' };
    // The client went away or broke off while sending: nobody reads the answer, and it is not our fault.
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return { kind: 'malformed-request', message: 'The request broke off.' };
    default:
      return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
        ? { kind: 'status', status: statusCode, message: 'The request was refused.' }
        : undefined;
  }
}
