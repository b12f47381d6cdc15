import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { CoordinatorConfig } from '../../config/coordinator.config.js';
import { advertisedUrl, COORDINATOR_CONFIG, serviceVersion } from '../../platform/index.js';
import { Public } from '../access/index.js';
import { DescribeWorkersService } from '../workers/index.js';

interface FleetStatus {
  readonly coordinator_version: string;
  readonly appproxy_api_version: 'v2';
  readonly workers: readonly {
    readonly authority: string;
    readonly available_slots: number;
    readonly occupied_slots: number;
    readonly ha_setup: boolean;
  }[];
}

/** What managers ask before anything else, and the fleet in one glance. */
@Controller()
export class StatusController {
  constructor(
    @Inject(COORDINATOR_CONFIG) private readonly config: CoordinatorConfig,
    @Inject(DescribeWorkersService) private readonly workers: DescribeWorkersService,
  ) {}

  @Public()
  @Get('status')
  status(@Req() request: FastifyRequest): { readonly api_version: 'v2'; readonly advertise_address: string } {
    return { api_version: 'v2', advertise_address: advertisedUrl(this.config, request) };
  }

  /** Unlike the other health paths this one tells names, so it needs the secret. */
  @Get('health/status')
  async fleet(): Promise<FleetStatus> {
    const workers = (await this.workers.list()).map((worker) => ({
      authority: worker.authority,
      available_slots: worker.available_slots,
      occupied_slots: worker.occupied_slots,
      ha_setup: worker.nodes > 1,
    }));
    return { coordinator_version: serviceVersion(), appproxy_api_version: 'v2', workers };
  }
}
