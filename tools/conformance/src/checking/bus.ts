import { Redis } from 'ioredis';
import { EVENT_CHANNEL } from '@penstock/protocol';
import { type JsonObject, isObject, parseJson } from './json.js';

/** One message of the channel: the envelope as sent, and its fields where it carries a `payload`. */
export interface HeardMessage {
  readonly text: string;
  readonly envelope: JsonObject;
  readonly name: string;
  readonly payload: JsonObject;
}

/** The event channel, without any tolerance: what is heard is what was sent. */
export class Bus {
  private readonly listeners = new Set<(message: HeardMessage) => void>();

  private constructor(
    private readonly subscriber: Redis,
    private readonly publisher: Redis,
  ) {}

  /** Connected and subscribed. @throws Error naming host and port when Redis does not answer within 5 s. */
  static async connect(redisUrl: string): Promise<Bus> {
    const options = { lazyConnect: true, retryStrategy: () => null, connectTimeout: 5_000 };
    const subscriber = new Redis(redisUrl, options);
    const publisher = new Redis(redisUrl, options);
    for (const client of [subscriber, publisher]) client.on('error', () => undefined);
    const bus = new Bus(subscriber, publisher);
    subscriber.on('message', (_channel: string, text: string) => bus.hear(text));
    try {
      await Promise.all([subscriber.connect(), publisher.connect()]);
      await subscriber.subscribe(EVENT_CHANNEL);
      return bus;
    } catch (error) {
      bus.close();
      throw new Error(`Redis at ${new URL(redisUrl).host} cannot be reached`, { cause: error });
    }
  }

  /** @returns the way to stop. */
  listen(listener: (message: HeardMessage) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async publish(text: string): Promise<void> {
    await this.publisher.publish(EVENT_CHANNEL, text);
  }

  close(): void {
    this.subscriber.disconnect();
    this.publisher.disconnect();
  }

  private hear(text: string): void {
    const envelope = parseJson(text);
    if (!isObject(envelope)) return;
    const name = typeof envelope['name'] === 'string' ? envelope['name'] : '';
    const message = { text, envelope, name, payload: payloadOf(envelope) };
    for (const listener of this.listeners) listener(message);
  }
}

function payloadOf({ payload }: JsonObject): JsonObject {
  const parsed = typeof payload === 'string' ? parseJson(payload) : undefined;
  return isObject(parsed) ? parsed : {};
}
