import type { AppProxyEvent, EnvelopeMetadata, EnvelopeMode } from '@penstock/protocol';

/** What came with an event beside its content. */
export interface EventMeta {
  readonly source: string;
  readonly metadata: EnvelopeMetadata;
  readonly traceparent: string | undefined;
}

/** Called for every event of every authority, in the order of arrival. A failing handler is logged, never fatal. */
export type EventHandler = (event: AppProxyEvent, meta: EventMeta) => void | Promise<void>;

/** How many messages met which fate since the start. */
export interface EventBusCounts {
  readonly received: number;
  /** Not readable as an envelope or as the event it names. */
  readonly malformed: number;
  /** Events of other peers. */
  readonly foreign: number;
  readonly published: number;
  readonly unpublished: number;
}

/** The part of a pino logger the bus uses. */
export interface EventBusLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface EventBusOptions {
  /** Index included: `redis://host:6379/4`. */
  readonly redisUrl: string;
  /** `EVENT_SOURCES.coordinator` or `.worker`. */
  readonly source: string;
  readonly logger: EventBusLogger;
  readonly channel?: string;
  readonly envelopeMode?: EnvelopeMode;
}

/** AppProxy events on a shared channel. Loss is normal: nothing is queued, repeated or kept in order across reconnects. */
export interface EventBus {
  /** Both connections are up and the channel is subscribed. */
  readonly connected: boolean;
  readonly counts: EventBusCounts;
  /** Begins to connect, for ever and with back-off. An absent Redis is a state, not an error. */
  start(): void;
  /** True when Redis took the message. False when not connected or not within a second; never throws, never queues. */
  publish(event: AppProxyEvent, options?: { readonly traceparent?: string | undefined }): Promise<boolean>;
  /** @returns the way to unsubscribe. */
  subscribe(handler: EventHandler): () => void;
  /** Told of every change of `connected`. @returns the way to stop. */
  onState(listener: (connected: boolean) => void): () => void;
  /** Settles with the first time `connected` is true; waits for ever while Redis is away. */
  ready(): Promise<void>;
  close(): Promise<void>;
}
