import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { HEADERS, readTraceparent } from '@penstock/protocol';
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

export function contextOf(request: AuthenticatedRequest): RequestContext {
  if (request.principal === undefined) throw new Error('the route is not behind the authentication guard');
  return {
    principal: request.principal,
    requestId: request.id,
    traceparent: readTraceparent(request.headers[HEADERS.traceparent]) ?? null,
    idempotency: request.idempotencySlot ?? null,
  };
}

/** Controller parameter: the context of this request. */
export const Context = createParamDecorator((_data: unknown, execution: ExecutionContext) =>
  contextOf(execution.switchToHttp().getRequest<AuthenticatedRequest>()),
);
