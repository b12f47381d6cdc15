import { Controller, Get, Inject } from '@nestjs/common';
import { toWireTimestamp } from '@penstock/protocol';

import { urlHost } from '../../wire/url-host.js';
import { WorkerStore, type OccupiedWorker } from './adapters/worker.store.js';

/** Read-outs that managers of earlier generations still ask for, in the shape those know. */
@Controller('v1/api')
export class LegacyReadOutsController {
  constructor(@Inject(WorkerStore) private readonly store: WorkerStore) {}

  @Get('worker')
  async workers(): Promise<object[]> {
    return (await this.store.occupied()).map(toLegacyWorker);
  }
}

function toLegacyWorker({ worker, occupants }: OccupiedWorker): object {
  const scheme = worker.tlsListen || worker.tlsAdvertised ? 'https' : 'http';
  return {
    authority: worker.authority,
    endpoint: `${scheme}://${urlHost(worker.hostname)}:${worker.apiPort}`,
    total_slots: worker.availableSlots,
    ports_in_use: worker.frontendMode === 'router' ? 0 : occupants.length,
    min_range: worker.portRange?.[0] ?? null,
    max_range: worker.portRange?.[1] ?? null,
    wildcard_domain: worker.wildcardDomain,
    created: toWireTimestamp(worker.createdAt),
    updated: toWireTimestamp(worker.updatedAt),
  };
}
