import { Controller, Get, Headers, HttpStatus, Inject, Query, Res } from '@nestjs/common';
import { HEADERS, routerConfigQuerySchema } from '@penstock/protocol';
import type { FastifyReply } from 'fastify';

import { UuidParam } from '../../wire/uuid-param.decorator.js';
import { PullRouterConfigService } from './pull-router-config.service.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The conditional pull of publications and keys. */
@Controller('api/worker')
export class RouterConfigController {
  constructor(@Inject(PullRouterConfigService) private readonly service: PullRouterConfigService) {}

  @Get(':worker_id/router-config')
  async pull(
    @UuidParam('worker_id') workerId: string,
    @Query() query: unknown,
    @Headers(HEADERS.ifNoneMatch) ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    // A query nobody can read is a revision nobody has: the full answer is always right.
    const asked = routerConfigQuerySchema.safeParse(query);
    const knownRevision = asked.success ? asked.data.known_revision : null;
    const answer = await this.service.pull(workerId, { knownRevision, ifNoneMatch });
    void reply.header('ETag', answer.etag).header('Cache-Control', 'no-store');
    if (answer.kind === 'config') {
      void reply.header('Content-Type', JSON_TYPE);
      return answer.json;
    }
    void reply.status(HttpStatus.NOT_MODIFIED);
    return undefined;
  }
}
