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

export interface RequestErrorFilterOptions {
  readonly renderer: ErrorRenderer;
  readonly routes: KnownRoutes;
  readonly logger: Logger;
  readonly mapError?: MapError | undefined;
}

/** The one place where a thrown error becomes an answer. Bugs are logged here, once, with their cause. */
@Catch()
export class RequestErrorFilter implements ExceptionFilter {
  constructor(private readonly options: RequestErrorFilterOptions) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    this.answer(this.failureOf(error, request), request, reply);
  }

  /** Also for failures met before routing, which reach no filter. */
  answer(failure: Failure, request: FastifyRequest, reply: FastifyReply): void {
    const rendered = this.options.renderer.render(failure, { path: pathOf(request), requestId: request.id });
    noteFailure(request, rendered.code);
    if (rendered.status >= 500) this.logFailure(failure, rendered.code, request);
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

  private logFailure(failure: Failure, code: string, request: FastifyRequest): void {
    const cause =
      failure.kind === 'internal' ? failure.cause : 'error' in failure ? failure.error : undefined;
    this.options.logger.error(
      { err: cause, 'error.code': code, request_id: request.id, route: request.routeOptions?.url },
      'request failed',
    );
  }
}
