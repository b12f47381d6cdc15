import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { Principal } from './domain/principal.js';

/** A place where the answer of a request with an `Idempotency-Key` is kept. */
export interface IdempotencySlot {
  readonly id: string;
  readonly responseStatus: number;
}

/** What travels with a change besides its input: who asked, under which ids. */
export interface RequestContext {
  readonly principal: Principal;
  readonly requestId: string;
  readonly traceparent: string | null;
  readonly idempotency: IdempotencySlot | null;
}

/** What guard and interceptor leave on the request for the steps after them. */
export interface AuthenticatedRequest extends FastifyRequest {
  principal?: Principal;
  idempotencySlot?: IdempotencySlot;
}

/** W3C trace context, version 00. Anything else is not passed on. */
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function contextOf(request: AuthenticatedRequest): RequestContext {
  if (request.principal === undefined) throw new Error('the route is not behind the authentication guard');
  const traceparent = request.headers.traceparent;
  return {
    principal: request.principal,
    requestId: request.id,
    traceparent: typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : null,
    idempotency: request.idempotencySlot ?? null,
  };
}

/** Controller parameter: the context of this request. */
export const Context = createParamDecorator((_data: unknown, execution: ExecutionContext) =>
  contextOf(execution.switchToHttp().getRequest<AuthenticatedRequest>()),
);
