import { createHash } from 'node:crypto';

import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { AppError, HEADERS } from '@penstock/protocol';
import type { FastifyReply } from 'fastify';
import { catchError, from, mergeMap, type Observable, of } from 'rxjs';

import { fieldProblem } from '../../problems.js';
import { type AuthenticatedRequest } from '../access/index.js';
import { type Beginning, IdempotencyStore } from './idempotency.store.js';
import { withoutSecrets } from './stored-body.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Tells a caller that the answer is a stored one and nothing was done. */
const REPLAYED_HEADER = 'idempotency-replayed';

/** Makes POST requests with an `Idempotency-Key` happen once, whatever is repeated, and wherever. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(@Inject(IdempotencyStore) private readonly store: IdempotencyStore) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const key = request.headers[HEADERS.idempotencyKey];
    if (request.method !== 'POST' || key === undefined || request.principal === undefined)
      return next.handle();
    if (typeof key !== 'string' || !KEY.test(key)) {
      throw fieldProblem('Idempotency-Key', 'Send 1 to 255 visible ASCII characters.');
    }
    const beginning = await this.store.begin({
      userId: request.principal.userId,
      key,
      requestHash: hashOf(request),
    });
    if (beginning.kind === 'started') return this.#run(beginning.id, request, reply, next);
    const answer = storedAnswer(beginning);
    reply.status(answer.status).header(REPLAYED_HEADER, 'true');
    return of(answer.body);
  }

  #run(
    id: string,
    request: AuthenticatedRequest,
    reply: FastifyReply,
    next: CallHandler,
  ): Observable<unknown> {
    request.idempotencySlot = { id, responseStatus: reply.statusCode };
    return next.handle().pipe(
      mergeMap(async (body: unknown) => {
        await this.store.amend(id, withoutSecrets(body)).catch(() => undefined);
        return body;
      }),
      catchError((error: unknown) => from(this.#abandonAndRethrow(id, error))),
    );
  }

  async #abandonAndRethrow(id: string, error: unknown): Promise<never> {
    // With the database away the row stays and its lease runs out.
    await this.store.abandon(id).catch(() => undefined);
    throw error;
  }
}

function storedAnswer(beginning: Exclude<Beginning, { kind: 'started' }>) {
  switch (beginning.kind) {
    case 'replay':
      return beginning.answer;
    case 'in_progress':
      throw new AppError('idempotency.in_progress', 'The same request is still running. Repeat it shortly.', {
        retryAfterSeconds: 1,
      });
    case 'different_request':
      throw new AppError(
        'idempotency.key_reused',
        'This Idempotency-Key was used for another request. Use a new key.',
      );
  }
}

function hashOf(request: AuthenticatedRequest): string {
  const body = JSON.stringify(request.body ?? null);
  return createHash('sha256').update(`${request.method} ${request.url}\n${body}`).digest('hex');
}
