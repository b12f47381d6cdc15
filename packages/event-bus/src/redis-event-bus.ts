import { decodeEnvelope, encodeEnvelope, EVENT_CHANNEL, type AppProxyEvent } from '@penstock/protocol';
import type { EventBus, EventBusCounts, EventBusOptions, EventHandler, EventMeta } from './event-bus.port.js';
import { createRedisConnection, type RedisConnection } from './redis-connection.js';

const PUBLISH_TIMEOUT_MS = 1_000;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** One connection publishes, another listens: a late answer to one never delays the other. */
export class RedisEventBus implements EventBus {
  private readonly publisher: RedisConnection;
  private readonly subscriber: RedisConnection;
  private readonly channel: string;
  private readonly handlers = new Set<EventHandler>();
  private readonly stateListeners = new Set<(connected: boolean) => void>();
  private readonly tally: Mutable<EventBusCounts> = {
    received: 0,
    malformed: 0,
    foreign: 0,
    published: 0,
    unpublished: 0,
  };
  private subscribed = false;
  private closed = false;
  private lastState = false;
  private lastError: string | undefined;

  constructor(private readonly options: EventBusOptions) {
    this.channel = options.channel ?? EVENT_CHANNEL;
    const onError = (error: Error) => this.noteError(error);
    this.publisher = createRedisConnection(options.redisUrl, onError);
    this.subscriber = createRedisConnection(options.redisUrl, onError);
    this.publisher.redis.on('ready', () => this.updateState()).on('close', () => this.updateState());
    this.subscriber.redis
      .on('ready', () => void this.listen())
      .on('close', () => this.setSubscribed(false))
      .on('message', (channel: string, text: string) => this.receive(channel, text));
  }

  get connected(): boolean {
    return this.subscribed && this.publisher.isReady;
  }

  get counts(): EventBusCounts {
    return { ...this.tally };
  }

  start(): void {
    if (this.closed) return;
    this.publisher.connect();
    this.subscriber.connect();
  }

  async publish(event: AppProxyEvent, { traceparent }: { traceparent?: string | undefined } = {}) {
    const taken = await this.send(event, traceparent);
    this.tally[taken ? 'published' : 'unpublished'] += 1;
    return taken;
  }

  subscribe(handler: EventHandler): () => void {
    // Wrapped, so that the same function may be subscribed twice and each subscription ends on its own.
    const entry: EventHandler = (event, meta) => handler(event, meta);
    this.handlers.add(entry);
    return () => void this.handlers.delete(entry);
  }

  onState(listener: (connected: boolean) => void): () => void {
    const entry = (connected: boolean) => listener(connected);
    this.stateListeners.add(entry);
    return () => void this.stateListeners.delete(entry);
  }

  ready(): Promise<void> {
    if (this.connected) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.onState((connected) => {
        if (!connected) return;
        stop();
        resolve();
      });
    });
  }

  close(): Promise<void> {
    this.closed = true;
    this.handlers.clear();
    this.publisher.close();
    this.subscriber.close();
    this.setSubscribed(false);
    this.stateListeners.clear();
    return Promise.resolve();
  }

  private async send(event: AppProxyEvent, traceparent: string | undefined): Promise<boolean> {
    if (!this.publisher.isReady) return false;
    const { source, envelopeMode } = this.options;
    try {
      const text = encodeEnvelope(event, {
        source,
        traceparent,
        ...(envelopeMode === undefined ? {} : { mode: envelopeMode }),
      });
      return await withinDeadline(this.publisher.redis.publish(this.channel, text));
    } catch (error) {
      this.noteError(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  private async listen(): Promise<void> {
    try {
      await this.subscriber.redis.subscribe(this.channel);
      this.setSubscribed(this.subscriber.isReady);
    } catch (error) {
      this.noteError(error instanceof Error ? error : new Error(String(error)));
      if (!this.closed) this.subscriber.redis.disconnect(true);
    }
  }

  private receive(channel: string, text: string): void {
    if (channel !== this.channel) return;
    this.tally.received += 1;
    const decoded = decodeEnvelope(text);
    if (decoded.ok) {
      const { source, metadata, traceparent } = decoded;
      for (const handler of this.handlers)
        this.hand(handler, decoded.event, { source, metadata, traceparent });
      return;
    }
    if (decoded.kind === 'unknown-event') {
      this.tally.foreign += 1;
      return;
    }
    this.tally.malformed += 1;
    this.warnSparsely(decoded.reason);
  }

  private hand(handler: EventHandler, event: AppProxyEvent, meta: EventMeta): void {
    const failed = (error: unknown) =>
      this.options.logger.warn({ err: error, event: event.name }, 'event handler failed');
    try {
      Promise.resolve(handler(event, meta)).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Anyone may write to the channel, so a line is spent on the 1st, 2nd, 4th, 8th … bad message only. */
  private warnSparsely(reason: string): void {
    const { malformed } = this.tally;
    if ((malformed & (malformed - 1)) !== 0) return;
    this.options.logger.warn({ reason, malformed }, 'ignored a malformed event');
  }

  private setSubscribed(subscribed: boolean): void {
    this.subscribed = subscribed;
    this.updateState();
  }

  private updateState(): void {
    const { connected } = this;
    if (connected === this.lastState) return;
    this.lastState = connected;
    if (connected) this.lastError = undefined;
    this.options.logger.info({ connected }, connected ? 'event bus connected' : 'event bus disconnected');
    for (const listener of this.stateListeners) listener(connected);
  }

  /** Reconnecting repeats the same failure twice a second; one line says it. */
  private noteError(error: Error): void {
    if (this.closed || error.message === this.lastError) return;
    this.lastError = error.message;
    this.options.logger.warn({ reason: error.message }, 'event bus cannot reach Redis');
  }
}

async function withinDeadline(sent: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PUBLISH_TIMEOUT_MS);
  });
  try {
    return await Promise.race([sent.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
