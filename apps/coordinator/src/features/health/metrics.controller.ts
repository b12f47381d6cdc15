import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Metrics } from '@penstock/observability';
import { parseIpList, unwrapMappedIpv4, WireError, type IpAllowlist } from '@penstock/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { CoordinatorConfig } from '../../config/coordinator.config.js';
import { COORDINATOR_CONFIG, METRICS } from '../../platform/index.js';
import { Public } from '../access/index.js';
import { FleetMetrics } from './fleet-metrics.js';

/** Prometheus text for those whose address is allowed; scrapers carry no secret. */
@Public()
@Controller('metrics')
export class MetricsController {
  private readonly allowed: IpAllowlist;

  constructor(
    @Inject(METRICS) private readonly metrics: Metrics,
    @Inject(FleetMetrics) private readonly fleet: FleetMetrics,
    @Inject(COORDINATOR_CONFIG) config: CoordinatorConfig,
  ) {
    this.allowed = parseIpList(config.metric_access_allowed_hosts);
  }

  /** @throws WireError 403 */
  @Get()
  async text(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const peer = unwrapMappedIpv4(request.socket.remoteAddress ?? '');
    if (!this.allowed.restricted || !this.allowed.allows(peer)) throw new WireError('forbidden');
    await this.fleet.collect();
    void reply.header('content-type', this.metrics.contentType);
    return this.metrics.text();
  }
}
