import { Controller, Get, Inject, Param } from '@nestjs/common';
import { uuidSchema, type CircuitsResponse } from '@penstock/protocol';

import { parseWire } from '../../wire/parse-wire.js';
import { CircuitStore } from './adapters/circuit.store.js';

/** The circuit snapshot a node pulls. */
@Controller('api/worker')
export class WorkerCircuitsController {
  constructor(@Inject(CircuitStore) private readonly store: CircuitStore) {}

  @Get(':worker_id/circuits')
  async list(@Param('worker_id') id: string): Promise<CircuitsResponse> {
    return { circuits: await this.store.ofWorker(parseWire(uuidSchema, id, ['worker_id'])) };
  }
}
