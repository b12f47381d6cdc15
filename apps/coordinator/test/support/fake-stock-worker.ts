import type { AppProxyEvent, Circuit } from '@penstock/protocol';
import {
  decodeEnvelope,
  encodeEnvelope,
  EVENT_CHANNEL,
  EVENT_NAMES,
  EVENT_SOURCES,
} from '@penstock/protocol';
import { Redis } from 'ioredis';

import type { CoordinatorClient } from './coordinator-client.js';

interface FakeStockWorkerOptions {
  readonly redisUrl: string;
  /** Registration as a stock worker sends it: the fields of other modes and the node id are absent. */
  readonly body: Readonly<Record<string, unknown>> & { readonly authority: string };
}

/** What a stock worker is to a coordinator: it registers, hears raw messages and acknowledges created circuits. */
export class FakeStockWorker {
  /** Messages for its authority as they were on the channel. */
  readonly texts: string[] = [];
  readonly events: AppProxyEvent[] = [];
  /** Turns the acknowledgement into what goes over the bus; null says nothing. */
  acknowledge: (circuits: readonly Circuit[]) => string | null = (circuits) => this.ackOf(circuits);
  workerId = '';

  private constructor(
    private readonly publisher: Redis,
    private readonly subscriber: Redis,
    readonly body: FakeStockWorkerOptions['body'],
  ) {
    subscriber.on('message', (_channel: string, text: string) => void this.hear(text));
  }

  /** Listening first and registered then, in the order of the real ones. */
  static async join(
    coordinator: CoordinatorClient,
    { redisUrl, body }: FakeStockWorkerOptions,
  ): Promise<FakeStockWorker> {
    const subscriber = new Redis(redisUrl);
    const worker = new FakeStockWorker(new Redis(redisUrl), subscriber, body);
    await subscriber.subscribe(EVENT_CHANNEL);
    await worker.register(coordinator);
    return worker;
  }

  get authority(): string {
    return this.body.authority;
  }

  async register(coordinator: CoordinatorClient): Promise<void> {
    const answer = await coordinator.call('PUT', '/api/worker', { body: this.body });
    if (answer.status !== 200) throw new Error(`registration failed: ${JSON.stringify(answer.body)}`);
    this.workerId = answer.body.id;
  }

  /** Gone as a stock worker goes: the row stays, LOST. */
  async deregister(coordinator: CoordinatorClient): Promise<void> {
    await coordinator.call('DELETE', `/api/worker/${this.workerId}`);
  }

  heard<N extends AppProxyEvent['name']>(name: N): Extract<AppProxyEvent, { name: N }>[] {
    return this.events.filter((event): event is Extract<AppProxyEvent, { name: N }> => event.name === name);
  }

  ackOf(circuits: readonly Circuit[]): string {
    const event = { name: EVENT_NAMES.workerCircuitAdded, authority: this.authority, circuits };
    return encodeEnvelope(event, { source: EVENT_SOURCES.worker, mode: 'json' });
  }

  publish(text: string): Promise<number> {
    return this.publisher.publish(EVENT_CHANNEL, text);
  }

  leave(): void {
    this.publisher.disconnect();
    this.subscriber.disconnect();
  }

  private async hear(text: string): Promise<void> {
    const decoded = decodeEnvelope(text);
    if (!decoded.ok || decoded.event.authority !== this.authority) return;
    if (decoded.event.name === EVENT_NAMES.workerCircuitAdded) return;
    this.texts.push(text);
    this.events.push(decoded.event);
    if (decoded.event.name !== EVENT_NAMES.circuitCreated) return;
    const ack = this.acknowledge(decoded.event.circuits);
    if (ack !== null) await this.publish(ack);
  }
}
