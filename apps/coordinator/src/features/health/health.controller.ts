import { Controller, Get, Inject, Res } from '@nestjs/common';
import { HealthRegistry } from '@penstock/service-kit';
import { toWireTimestamp } from '@penstock/protocol';
import type { FastifyReply } from 'fastify';

import { serviceVersion } from '../../platform/index.js';
import { Public } from '../access/index.js';
import { DependencyHealth } from './dependency-health.js';
import { toHealthDocument, type HealthDocument } from './domain/health-document.js';

const COMPONENT = { version: serviceVersion(), component: 'appproxy-coordinator' };

/** Health in the document form AppProxy peers know. */
@Public()
@Controller('health')
export class HealthController {
  constructor(
    @Inject(HealthRegistry) private readonly registry: HealthRegistry,
    @Inject(DependencyHealth) private readonly dependencies: DependencyHealth,
  ) {}

  /** Everything that is known, healthy or not. */
  @Get()
  async overview(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthDocument> {
    return this.report(reply);
  }

  /** Touches nothing outside the process: a dead database must not restart it. */
  @Get('livez')
  live(): HealthDocument {
    return toHealthDocument(COMPONENT, [], toWireTimestamp(new Date()));
  }

  /** 503 while this process cannot serve: no database, or draining. Without Redis it serves, only slower to spread. */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthDocument> {
    return this.report(reply);
  }

  private async report(reply: FastifyReply): Promise<HealthDocument> {
    const [{ ready }, checks] = await Promise.all([this.registry.ready(), this.dependencies.check()]);
    if (!ready) void reply.status(503);
    const document = toHealthDocument(COMPONENT, checks, toWireTimestamp(new Date()));
    return ready ? document : { ...document, status: 'error' };
  }
}
