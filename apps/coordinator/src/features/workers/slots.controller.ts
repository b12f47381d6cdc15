import { Controller, Get, Inject, Query } from '@nestjs/common';
import { WireError, type SlotsResponse } from '@penstock/protocol';

import { parseWire } from '../../wire/parse-wire.js';
import { WorkerStore } from './adapters/worker.store.js';
import { listSlots } from './domain/slots.js';
import { slotsQuerySchema } from './slots-query.js';

/** Which slots of which worker are taken. Routers have none. */
@Controller('api/slots')
export class SlotsController {
  constructor(@Inject(WorkerStore) private readonly store: WorkerStore) {}

  /** @throws WireError 404 when the query names an unknown authority */
  @Get()
  async list(@Query() query: unknown): Promise<SlotsResponse> {
    const { wsproxy_host, in_use } = parseWire(slotsQuerySchema, query);
    const workers = await this.store.occupied();
    const asked = workers.filter(({ worker }) => wsproxy_host === null || worker.authority === wsproxy_host);
    if (wsproxy_host !== null && asked.length === 0) throw WireError.objectNotFound('worker');
    const slots = asked.flatMap(({ worker, occupants }) => listSlots(worker, occupants));
    return { slots: slots.filter((slot) => slot.in_use || !in_use) };
  }
}
