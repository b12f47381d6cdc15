import { Controller, Get, Inject } from '@nestjs/common';
import type { Circuit } from '@penstock/protocol';

import { CircuitStore, type SlottedCircuit } from './adapters/circuit.store.js';

/** Taken slots as managers of earlier generations ask for them. Routers have none. */
@Controller('v1/api/slots')
export class LegacySlotsController {
  constructor(@Inject(CircuitStore) private readonly store: CircuitStore) {}

  @Get()
  async list(): Promise<object[]> {
    return (await this.store.slotted()).map(toLegacySlot);
  }
}

/** The double underscores are the wire's. */
function toLegacySlot({ authority, circuit }: SlottedCircuit): object {
  return {
    rel: circuit.id,
    port: circuit.port,
    subdomain: circuit.subdomain,
    wsproxy_version: 'v2',
    worker__authority: authority,
    circuit__app: circuit.app,
    circuit__session_id: circuit.session_ids[0] ?? null,
    circuit__open_to_public: circuit.open_to_public,
    circuit__allowed_client_ips: circuit.allowed_client_ips,
    circuit__envs: envsText(circuit),
    circuit__arguments: circuit.arguments,
    circuit__created: circuit.created_at,
    circuit__modified: circuit.updated_at,
  };
}

/** JSON text; nothing where there are no variables. */
function envsText({ envs }: Circuit): string | null {
  return Object.keys(envs).length === 0 ? null : JSON.stringify(envs);
}
