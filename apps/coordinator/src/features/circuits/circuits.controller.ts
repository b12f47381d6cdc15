import { Body, Controller, Delete, Get, Inject, Param } from '@nestjs/common';
import { uuidSchema, type Circuit, type SuccessResponse } from '@penstock/protocol';

import { parseBody, parseWire } from '../../wire/parse-wire.js';
import { Traceparent } from '../../wire/traceparent.decorator.js';
import { CircuitStore } from './adapters/circuit.store.js';
import { RedisCircuitStatistics } from './adapters/redis-circuit-statistics.js';
import { bulkRemovalSchema } from './bulk-removal.js';
import { RemoveCircuitsService } from './remove-circuits.service.js';

interface CircuitWithStatistics extends Circuit {
  readonly requests: number;
  /** Milliseconds. */
  readonly last_access: number;
  /** Seconds until an idle circuit is collected; null for inference, which never is. */
  readonly ttl: null;
}

/** Single circuits by their id. */
@Controller()
export class CircuitsController {
  constructor(
    @Inject(CircuitStore) private readonly store: CircuitStore,
    @Inject(RedisCircuitStatistics) private readonly statistics: RedisCircuitStatistics,
    @Inject(RemoveCircuitsService) private readonly removal: RemoveCircuitsService,
  ) {}

  @Get('api/circuit/:circuit_id')
  get(@Param('circuit_id') id: string): Promise<Circuit> {
    return this.store.get(circuitId(id));
  }

  @Get('api/circuit/:circuit_id/statistics')
  async statisticsOf(@Param('circuit_id') id: string): Promise<CircuitWithStatistics> {
    const circuit = await this.store.get(circuitId(id));
    const { requests, lastAccessMs } = await this.statistics.of(circuit.id);
    return { ...circuit, requests, last_access: lastAccessMs ?? Date.parse(circuit.created_at), ttl: null };
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
    @Param('circuit_id') id: string,
    @Traceparent() traceparent: string | undefined,
  ): Promise<SuccessResponse> {
    await this.removal.remove(circuitId(id), traceparent);
    return { success: true };
  }
}

function circuitId(id: string): string {
  return parseWire(uuidSchema, id, ['circuit_id']);
}
