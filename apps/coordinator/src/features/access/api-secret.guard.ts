import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { HEADERS, WireError } from '@penstock/protocol';
import type { FastifyRequest } from 'fastify';

import { verifyCredentials } from './domain/verify-secret.js';
import { IS_PUBLIC } from './public.decorator.js';

/** One secret opens every route of the worker and manager scopes alike. */
export class ApiSecretGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly secret: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws WireError 401 */
  canActivate(context: ExecutionContext): boolean {
    const places = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(IS_PUBLIC, places)) return true;
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const credentials = {
      token: single(headers[HEADERS.backendaiToken]),
      authorization: headers.authorization,
    };
    const verdict = verifyCredentials(credentials, this.secret, this.now());
    if (verdict.kind === 'refused') throw WireError.authFailed(verdict.message);
    return true;
  }
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
