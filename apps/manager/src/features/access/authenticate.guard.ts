import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';

import { AuthenticateService } from './authenticate.service.js';
import type { AuthenticatedRequest } from './request-context.js';

const API_PREFIX = '/api/';

/** Every route of the API needs a caller; health, metrics and the documentation are not routes of the API. */
@Injectable()
export class AuthenticateGuard implements CanActivate {
  constructor(@Inject(AuthenticateService) private readonly service: AuthenticateService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    // The route's own pattern: it cannot be disguised by the spelling of the request's path.
    if (!request.routeOptions.url?.startsWith(API_PREFIX)) return true;
    request.principal = await this.service.authenticate(request.headers.authorization);
    return true;
  }
}
