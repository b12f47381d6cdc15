import { Global, Module } from '@nestjs/common';

import { OutboxRelay } from './outbox-relay.scheduler.js';
import { OutboxStore } from './outbox.store.js';
import { PushEntityService } from './push-entity.service.js';

@Global()
@Module({
  providers: [OutboxStore, PushEntityService, OutboxRelay],
  exports: [OutboxStore, PushEntityService, OutboxRelay],
})
export class OutboxModule {}
