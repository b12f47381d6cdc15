import { type AppError, ERRORS, type ErrorCode, type FieldError, type WireError } from '@penstock/protocol';

import { fieldErrors } from '../validation/field-errors.js';
import type { ErrorRenderer, RenderContext, RenderedError } from './error-renderer.port.js';
import type { Failure } from './failure.js';

/** RFC 9457 with our members `code`, `requestId` and, where fields are at fault, `errors`. */
export const problemRenderer: ErrorRenderer = {
  render: (failure, context) => renderProblem(toProblem(failure), context),
};

interface Problem {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  readonly retryAfterSeconds?: number | undefined;
  readonly allow?: readonly string[] | undefined;
}

function renderProblem(problem: Problem, { path, requestId }: RenderContext): RenderedError {
  const { status, title } = ERRORS[problem.code];
  const { errors = [], allow, retryAfterSeconds } = problem;
  return {
    status,
    code: problem.code,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(allow !== undefined && { allow: allow.join(', ') }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    body: {
      type: `urn:penstock:error:${problem.code}`,
      title,
      status,
      detail: problem.detail,
      instance: path,
      code: problem.code,
      requestId,
      ...(errors.length > 0 && { errors }),
    },
  };
}

function toProblem(failure: Failure): Problem {
  switch (failure.kind) {
    case 'app':
      return ofAppError(failure.error);
    case 'wire':
      return ofWireError(failure.error);
    case 'invalid':
      return ofFields(fieldErrors(failure.error));
    case 'unknown-url':
      return { code: 'request.not_found', detail: 'There is nothing at this URL.' };
    case 'method-not-allowed':
      return {
        code: 'request.method_not_allowed',
        detail: `${failure.method} is not possible here; use ${failure.allowed.join(', ')}.`,
        allow: failure.allowed,
      };
    case 'malformed-body':
    case 'malformed-request':
      return { code: 'request.malformed', detail: failure.message };
    case 'body-too-large':
      return { code: 'request.too_large', detail: 'The body is larger than this service accepts.' };
    case 'unsupported-media-type':
      return { code: 'request.unsupported_media_type', detail: failure.message };
    case 'headers-too-large':
      return { code: 'headers_too_large', detail: 'The request headers are larger than 16 KiB in all.' };
    case 'request-timeout':
      return { code: 'request.timeout', detail: 'The request did not arrive in time.' };
    case 'status':
      return { code: codeOfStatus(failure.status), detail: failure.message };
    case 'internal':
      return {
        code: 'service.internal',
        detail: 'Something went wrong on our side; the log has it under the request id.',
      };
  }
}

function ofAppError(error: AppError): Problem {
  const { code, publicMessage, errors, retryAfterSeconds, allow } = error;
  return { code, detail: publicMessage, errors, retryAfterSeconds, allow };
}

function ofWireError(error: WireError): Problem {
  return { code: codeOfStatus(error.status), detail: error.msg ?? error.title };
}

function ofFields(errors: readonly FieldError[]): Problem {
  const names = [...new Set(errors.map(({ field }) => field))];
  const detail = `${names.length === 1 ? 'A field is' : `${names.length} fields are`} not valid: ${names.slice(0, 10).join(', ')}.`;
  return { code: 'request.invalid', detail, errors };
}

const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'auth.invalid_token',
  403: 'auth.forbidden',
  404: 'resource.not_found',
  405: 'request.method_not_allowed',
  408: 'request.timeout',
  409: 'resource.conflict',
  413: 'request.too_large',
  415: 'request.unsupported_media_type',
  429: 'request.rate_limited',
  431: 'headers_too_large',
  503: 'service.not_ready',
};

function codeOfStatus(status: number): ErrorCode {
  return CODE_BY_STATUS[status] ?? (status >= 500 ? 'service.internal' : 'request.malformed');
}
