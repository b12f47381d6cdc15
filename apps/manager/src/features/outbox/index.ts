/**
 * The queue between the tables and the coordinator: entities are marked in the transaction that changes them and
 * pushed by the request itself, or by the relay. Rows hold keys, never content.
 */
export { OutboxModule } from './outbox.module.js';
export { OutboxRelay } from './outbox-relay.scheduler.js';
export { type DirtyEntity, OutboxStore } from './outbox.store.js';
export { PushEntityService } from './push-entity.service.js';
