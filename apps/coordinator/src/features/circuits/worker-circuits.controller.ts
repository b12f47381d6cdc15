import { Controller, Get, Inject } from '@nestjs/common';
import { type CircuitsResponse } from '@penstock/protocol';

import { UuidParam } from '../../wire/uuid-param.decorator.js';
import { CircuitStore } from './adapters/circuit.store.js';

/** The circuit snapshot a node pulls. */
@Controller('api/worker')
export class WorkerCircuitsController {
  constructor(@Inject(CircuitStore) private readonly store: CircuitStore) {}

  @Get(':worker_id/circuits')
  async list(@UuidParam('worker_id') id: string): Promise<CircuitsResponse> {
    return { circuits: await this.store.ofWorker(id) };
  }
}
