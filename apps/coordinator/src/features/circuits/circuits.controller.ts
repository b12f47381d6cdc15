import { Body, Controller, Delete, Get, Inject } from '@nestjs/common';
import { type Circuit, type SuccessResponse } from '@penstock/protocol';

import type { CoordinatorConfig } from '../../config/coordinator.config.js';
import { COORDINATOR_CONFIG } from '../../platform/index.js';
import { parseBody } from '../../wire/parse-wire.js';
import { Traceparent } from '../../wire/traceparent.decorator.js';
import { UuidParam } from '../../wire/uuid-param.decorator.js';
import { CircuitStore } from './adapters/circuit.store.js';
import { RedisCircuitStatistics } from './adapters/redis-circuit-statistics.js';
import { bulkRemovalSchema } from './bulk-removal.js';
import { timeToLive } from './domain/time-to-live.js';
import { RemoveCircuitsService } from './remove-circuits.service.js';

interface CircuitWithStatistics extends Circuit {
  readonly requests: number;
  /** Milliseconds. */
  readonly last_access: number;
  /** Seconds until an unused circuit is collected; null for inference, which never is. */
  readonly ttl: number | null;
}

/** Single circuits by their id. */
@Controller()
export class CircuitsController {
  constructor(
    @Inject(CircuitStore) private readonly store: CircuitStore,
    @Inject(RedisCircuitStatistics) private readonly statistics: RedisCircuitStatistics,
    @Inject(RemoveCircuitsService) private readonly removal: RemoveCircuitsService,
    @Inject(COORDINATOR_CONFIG) private readonly config: CoordinatorConfig,
  ) {}

  @Get('api/circuit/:circuit_id')
  get(@UuidParam('circuit_id') id: string): Promise<Circuit> {
    return this.store.get(id);
  }

  @Get('api/circuit/:circuit_id/statistics')
  async statisticsOf(@UuidParam('circuit_id') id: string): Promise<CircuitWithStatistics> {
    const circuit = await this.store.get(id);
    const { requests, lastAccessMs } = await this.statistics.of(circuit.id);
    const lastAccess = lastAccessMs ?? Date.parse(circuit.created_at);
    const ttl = timeToLive(circuit, lastAccess, this.config.unused_circuit_collection_timeout_ms);
    return { ...circuit, requests, last_access: lastAccess, ttl };
  }

  @Delete('api/circuit/_/bulk')
  async removeBulk(
    @Body() body: unknown,
    @Traceparent() traceparent: string | undefined,
  ): Promise<SuccessResponse> {
    await this.removal.removeKnown(parseBody(bulkRemovalSchema, body).circuit_ids, traceparent);
    return { success: true };
  }

  @Delete(['api/circuit/:circuit_id', 'v1/api/circuit/:circuit_id'])
  async remove(
    @UuidParam('circuit_id') id: string,
    @Traceparent() traceparent: string | undefined,
  ): Promise<SuccessResponse> {
    await this.removal.remove(id, traceparent);
    return { success: true };
  }
}
