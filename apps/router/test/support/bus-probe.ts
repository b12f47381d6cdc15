import { createEventBus, type EventBus } from '@penstock/event-bus';
import { EVENT_SOURCES, type AppProxyEvent } from '@penstock/protocol';

const QUIET = { info: () => undefined, warn: () => undefined };

/** The coordinator's end of the bus: publishes events and hears what routers of one authority acknowledge. */
export class BusProbe {
  readonly acks: AppProxyEvent[] = [];
  private readonly bus: EventBus;

  constructor(redisUrl: string, authority: string) {
    this.bus = createEventBus({ redisUrl, source: EVENT_SOURCES.coordinator, logger: QUIET });
    this.bus.subscribe((event, { source }) => {
      if (event.authority === authority && source === EVENT_SOURCES.worker) this.acks.push(event);
    });
  }

  async start(): Promise<void> {
    this.bus.start();
    await this.bus.ready();
  }

  get connected(): boolean {
    return this.bus.connected;
  }

  publish(event: AppProxyEvent): Promise<boolean> {
    return this.bus.publish(event);
  }

  close(): Promise<void> {
    return this.bus.close();
  }
}
