import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Logger } from '@penstock/observability';
import { HEADERS } from '@penstock/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { KnownRoutes } from '../http/known-routes.js';
import { pathOf } from '../http/path-of.js';
import { noteFailure } from '../http/request-outcome.js';
import { classifyFailure, type MapError } from './classify-failure.js';
import type { ErrorRenderer } from './error-renderer.port.js';
import type { Failure } from './failure.js';
import { FailureLog } from './failure-log.js';

export interface RequestErrorFilterOptions {
  readonly renderer: ErrorRenderer;
  readonly routes: KnownRoutes;
  readonly logger: Logger;
  readonly mapError?: MapError | undefined;
}

/** The one place where a thrown error becomes an answer, and where a failure of the service is logged. */
@Catch()
export class RequestErrorFilter implements ExceptionFilter {
  private readonly log: FailureLog;

  constructor(private readonly options: RequestErrorFilterOptions) {
    this.log = new FailureLog(options.logger);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    this.answer(this.failureOf(error, request), request, reply);
  }

  /** Also for failures met before routing, which reach no filter. */
  answer(failure: Failure, request: FastifyRequest, reply: FastifyReply): void {
    const rendered = this.options.renderer.render(failure, { path: pathOf(request), requestId: request.id });
    noteFailure(request, rendered.code);
    if (rendered.status >= 500) {
      this.log.record(failure, rendered.code, { request_id: request.id, route: request.routeOptions?.url });
    }
    if (reply.sent || reply.raw.headersSent) return;
    void reply
      .code(rendered.status)
      .headers({ ...rendered.headers, [HEADERS.requestId]: request.id })
      .send(rendered.body);
  }

  private failureOf(error: unknown, request: FastifyRequest): Failure {
    if (!request.is404 || !(error instanceof HttpException) || error.getStatus() !== 404) {
      return classifyFailure(error, this.options.mapError);
    }
    const allowed = this.options.routes.methodsOf(pathOf(request));
    return allowed.length === 0
      ? { kind: 'unknown-url' }
      : { kind: 'method-not-allowed', method: request.method, allowed };
  }
}
