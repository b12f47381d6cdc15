import { type AppError, WireError, type WireErrorKind, wireIssues } from '@penstock/protocol';

import type { ErrorRenderer, RenderedError } from './error-renderer.port.js';
import type { Failure } from './failure.js';

/** The JSON bodies AppProxy peers read. Always JSON, whatever the caller accepts: peers parse it either way. */
export const appproxyRenderer: ErrorRenderer = {
  render: (failure, { path }) => {
    const { error, status } = toWireError(failure, path);
    const headers: Record<string, string> = { ...HEADERS_ON_ERRORS };
    if (error.allow) headers.allow = error.allow.join(', ');
    if (failure.kind === 'app' && failure.error.retryAfterSeconds !== undefined) {
      headers['retry-after'] = String(failure.error.retryAfterSeconds);
    }
    return { status, headers, body: error.toBody(), code: error.error_code } satisfies RenderedError;
  },
};

/** A caller's Origin replaces the star where there is one. */
const HEADERS_ON_ERRORS = {
  'content-type': 'application/json; charset=utf-8',
  server: 'BackendAI',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
};

interface Answer {
  readonly error: WireError;
  readonly status: number;
}

function toWireError(failure: Failure, path: string): Answer {
  switch (failure.kind) {
    case 'wire':
      return answer(failure.error);
    case 'app':
      return fromAppError(failure.error);
    case 'invalid':
      return answer(WireError.invalidApiParams(wireIssues(failure.error.cause)));
    case 'unknown-url':
      return answer(WireError.urlNotFound(path));
    case 'method-not-allowed':
      // Preflights are answered on every path, as peers say as well.
      return answer(WireError.methodNotAllowed(failure.method, [...failure.allowed, 'OPTIONS']));
    case 'malformed-body':
      return answer(WireError.invalidApiParams('Malformed body'));
    case 'malformed-request':
      return answer(WireError.invalidApiParams(failure.message));
    case 'body-too-large':
      return answer(new WireError('bodyTooLarge'));
    case 'unsupported-media-type':
      return answer(new WireError('unsupportedMediaType', { msg: failure.message }));
    case 'headers-too-large':
      return { status: 431, error: new WireError('badRequest', { msg: 'Request headers too large' }) };
    case 'request-timeout':
      return { status: 408, error: new WireError('badRequest', { msg: 'Request took too long to arrive' }) };
    case 'status':
      return ofStatus(failure.status, failure.message);
    case 'internal':
      return answer(WireError.internalServerError(failure.cause));
  }
}

function answer(error: WireError): Answer {
  return { error, status: error.status };
}

function fromAppError(error: AppError): Answer {
  if (error.status < 500 && error.errors.length > 0) {
    const issues = error.errors.map(({ field, message }) => ({
      type: 'value_error',
      loc: field.split('.'),
      msg: message,
    }));
    return answer(WireError.invalidApiParams(issues));
  }
  return ofStatus(error.status, error.publicMessage);
}

const KIND_BY_STATUS: Readonly<Record<number, WireErrorKind>> = {
  401: 'authFailed',
  403: 'forbidden',
  404: 'objectNotFound',
  413: 'bodyTooLarge',
  415: 'unsupportedMediaType',
  // Same type, title and code as any other 503; only the message differs.
  503: 'workerNotResponding',
};

function ofStatus(status: number, msg: string): Answer {
  const kind = KIND_BY_STATUS[status];
  if (kind !== undefined) return answer(new WireError(kind, { msg }));
  if (status >= 500) return { status, error: WireError.internalServerError() };
  return { status, error: new WireError('badRequest', { msg }) };
}
