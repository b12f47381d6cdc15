import { AppError, HEADERS } from '@penstock/protocol';
import { openAiError } from '../proxy/index.js';
import { newRequestId, RequestRecord } from '../usage/index.js';
import { errorHeaders } from './domain/error-headers.js';
import type { StandaloneAnswer } from './front.port.js';
import type { HandlingDeps } from './handling-deps.js';

/** What is known of a request that never became an exchange. */
interface Remains {
  readonly error: AppError;
  readonly method: string;
  readonly peer: string;
  readonly mode: string;
}

type Deps = Pick<HandlingDeps, 'now' | 'forwarding' | 'finisher'>;

/** Answers what never became an exchange, and ends it like one, so that the id in the answer leads to a log line. */
export function standaloneAnswer(
  { now, forwarding, finisher }: Deps,
  { error, method, peer, mode }: Remains,
): StandaloneAnswer {
  const record = new RequestRecord(newRequestId(now()), method, forwarding.timers.now(), mode);
  record.peer = peer;
  const { status, code, entry } = error;
  finisher.finish(record, { kind: 'refused', status, errorCode: code, fault: entry.fault });
  return {
    status,
    headers: [HEADERS.requestId, record.id, ...errorHeaders(error)],
    body: openAiError(error),
  };
}

/** The answer for bytes that did not make a request. */
export function malformedAnswer(
  deps: Deps,
  status: 400 | 408 | 431,
  peer: string,
  mode: string,
): StandaloneAnswer {
  return standaloneAnswer(deps, { error: MALFORMED[status](), method: '', peer, mode });
}

const MALFORMED = {
  400: () => new AppError('invalid_request', 'The request is not valid HTTP/1.1.'),
  408: () => new AppError('request_timeout', 'The request did not arrive in time.'),
  431: () => new AppError('headers_too_large', 'The request headers are larger than this router takes.'),
};
