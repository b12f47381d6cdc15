import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { HEADERS, readTraceparent } from '@penstock/protocol';
import type { FastifyRequest } from 'fastify';

/** Controller parameter: the W3C trace context of this request, undefined without a usable one. */
export const Traceparent = createParamDecorator((_data: unknown, execution: ExecutionContext) =>
  readTraceparent(execution.switchToHttp().getRequest<FastifyRequest>().headers[HEADERS.traceparent]),
);
