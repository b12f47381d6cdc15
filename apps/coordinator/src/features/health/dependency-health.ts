import type { EventBus } from '@penstock/event-bus';
import { toWireTimestamp } from '@penstock/protocol';
import type { Redis } from 'ioredis';

import type { Database } from '../../persistence/index.js';
import type { ConnectivityCheck } from './domain/health-document.js';

/** How the coordinator's three connections are doing at this moment. */
export class DependencyHealth {
  constructor(
    private readonly database: Database,
    private readonly redis: Redis,
    private readonly bus: EventBus,
  ) {}

  async check(): Promise<ConnectivityCheck[]> {
    return [
      report('redis', 'live', this.redis.status === 'ready'),
      report('redis', 'stream', this.bus.connected),
      report('database', 'postgres', await this.database.answers()),
    ];
  }
}

function report(group: string, id: string, healthy: boolean): ConnectivityCheck {
  return {
    service_group: group,
    component_id: id,
    is_healthy: healthy,
    last_checked_at: toWireTimestamp(new Date()),
    error_message: healthy ? null : 'not reachable',
  };
}
