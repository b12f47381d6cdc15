import { Controller, Get, Headers, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { CoordinatorConfig } from '../../config/coordinator.config.js';
import { advertisedUrl, COORDINATOR_CONFIG } from '../../platform/index.js';
import { parseWire } from '../../wire/parse-wire.js';
import { Traceparent } from '../../wire/traceparent.decorator.js';
import { UuidParam } from '../../wire/uuid-param.decorator.js';
import { Public } from '../access/index.js';
import { appQuerySchema, openAppQuerySchema } from './app-query.js';
import { appUrl } from './domain/app-url.js';
import { namesJson } from './domain/names-json.js';
import { OpenAppService, type OpenedApp } from './open-app.service.js';

/** Where users come to open an app. Browsers come by themselves, so the token in the address is the credential. */
@Public()
@Controller('v2/proxy')
export class OpenAppController {
  constructor(
    @Inject(OpenAppService) private readonly service: OpenAppService,
    @Inject(COORDINATOR_CONFIG) private readonly config: CoordinatorConfig,
  ) {}

  /** Programs, which name JSON, are told where to go; everybody else is sent. */
  @Get('auth')
  async open(
    @Query() query: unknown,
    @Headers('accept') accept: string | undefined,
    @Traceparent() traceparent: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OpenedApp | string> {
    const opened = await this.service.open(parseWire(openAppQuerySchema, query), traceparent);
    // The address admits one user to one circuit; no cache may hand it to the next.
    void reply.header('cache-control', 'no-store');
    if (namesJson(accept)) {
      void reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' });
      return opened;
    }
    void reply.code(308).header('location', opened.redirect_url).type('text/plain; charset=utf-8');
    return '308: Permanent Redirect';
  }

  /** Old clients ask for the address first. Nothing is looked up. */
  @Get(':token/:session_id/add')
  add(
    @UuidParam('token') token: string,
    @UuidParam('session_id') sessionId: string,
    @Query() query: Record<string, string>,
    @Req() request: FastifyRequest,
  ): { readonly code: 200; readonly url: string } {
    parseWire(appQuerySchema, query);
    const credentials = { token, session_id: sessionId };
    return { code: 200, url: appUrl(advertisedUrl(this.config, request), query, credentials) };
  }
}
