/** AppProxy events over Redis Pub/Sub: a hint channel whose loss costs delay, never correctness. */
import type { EventBus, EventBusOptions } from './event-bus.port.js';
import { RedisEventBus } from './redis-event-bus.js';

export type {
  EventBus,
  EventBusCounts,
  EventBusLogger,
  EventBusOptions,
  EventHandler,
  EventMeta,
} from './event-bus.port.js';

/** A bus that is not connected yet: subscribe first, then `start()`. */
export function createEventBus(options: EventBusOptions): EventBus {
  return new RedisEventBus(options);
}
