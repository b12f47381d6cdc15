import { randomUUID } from 'node:crypto';
import {
  type AckKind,
  type AppProxyEvent,
  decodeEnvelope,
  encodeEnvelope,
  EVENT_NAMES,
  EVENT_SOURCES,
} from '@penstock/protocol';
import type { Bus, HeardMessage } from '../checking/bus.js';
import { CheckFailed } from '../checking/expect.js';
import { type Json, type JsonObject, textAt } from '../checking/json.js';

/** How a fake worker answers created events. */
export type Acknowledging = 'at once' | 'never';

const EVENT_WAIT_MS = 3_000;

/** A worker as far as a coordinator can tell: it has a registration, hears its events and acknowledges circuits. */
export class FakeWorker {
  id = '';
  registered: Json | undefined;
  acknowledging: Acknowledging = 'at once';
  deregistered = false;
  /** Set where circuits come from elsewhere than endpoints. */
  mayHaveCircuits = false;
  private readonly madeUpNode = randomUUID();
  private readonly events: HeardMessage[] = [];
  private readonly waiters = new Set<() => void>();
  private readonly stopListening: () => void;

  constructor(
    readonly body: JsonObject,
    private readonly bus: Bus | undefined,
  ) {
    this.stopListening = bus?.listen((message) => this.hear(message)) ?? (() => undefined);
  }

  get authority(): string {
    return textAt(this.body, 'authority');
  }

  get nodeId(): string | undefined {
    return textAt(this.body, 'node_id') || undefined;
  }

  /** Under which node acknowledgements of router events are sent. */
  get ackNode(): string {
    return this.nodeId ?? this.madeUpNode;
  }

  get domain(): string {
    return textAt(this.body, 'wildcard_domain');
  }

  /** An existing URL that only this worker can carry. */
  urlFor(ordinal: number): string {
    if (this.body['frontend_mode'] !== 'port') return `http://e${ordinal}${this.domain}`;
    const [first = 0] = this.body['port_range'] as number[];
    return `http://${textAt(this.body, 'hostname')}:${first + ordinal - 1}`;
  }

  /** Messages of one name for this worker, in the order heard. */
  heard(name: string): readonly HeardMessage[] {
    return this.events.filter((message) => message.name === name);
  }

  /**
   * The message of that name with that ordinal, waited for.
   * @throws CheckFailed when it does not come within 3 s.
   */
  async event(name: string, ordinal = 0): Promise<HeardMessage> {
    const deadline = Date.now() + EVENT_WAIT_MS;
    for (;;) {
      const found = this.heard(name)[ordinal];
      if (found) return found;
      if (!(await this.nextMessage(deadline - Date.now())))
        throw new CheckFailed(`${name} number ${ordinal + 1} was not heard within ${EVENT_WAIT_MS} ms`);
    }
  }

  /** Publishes the acknowledgement of a created event, in a given form of the envelope. */
  async acknowledge({ text }: HeardMessage, mode: 'tuple' | 'json' | 'dual' = 'dual'): Promise<void> {
    const decoded = decodeEnvelope(text);
    if (!decoded.ok || decoded.event.name !== EVENT_NAMES.circuitCreated) return;
    const ack = { ...decoded.event, name: EVENT_NAMES.workerCircuitAdded } as const;
    await this.bus?.publish(encodeEnvelope(ack, { source: EVENT_SOURCES.worker, mode }));
  }

  stopWaiting(): void {
    for (const wake of this.waiters) wake();
  }

  leave(): void {
    this.stopListening();
  }

  private hear(message: HeardMessage): void {
    const decoded = decodeEnvelope(message.text);
    if (!decoded.ok || decoded.event.authority !== this.authority) return;
    if (decoded.source === EVENT_SOURCES.worker) return;
    this.events.push(message);
    if (this.acknowledging === 'at once') void this.answer(message, decoded.event).catch(() => undefined);
    this.stopWaiting();
  }

  private answer(message: HeardMessage, event: AppProxyEvent): Promise<void> {
    const [kind, id] = configurationAck(event);
    return kind === undefined ? this.acknowledge(message) : this.acknowledgeConfiguration(kind, id);
  }

  private async acknowledgeConfiguration(kind: AckKind, id: string): Promise<void> {
    const { authority, ackNode } = this;
    const ack = { name: EVENT_NAMES.routerConfigApplied, authority, node_id: ackNode, kind, id };
    await this.bus?.publish(encodeEnvelope(ack, { source: EVENT_SOURCES.worker }));
  }

  private async nextMessage(ms: number): Promise<boolean> {
    if (ms <= 0) return false;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = (): void => resolve(undefined);
    const timer = setTimeout(wake, ms);
    this.waiters.add(wake);
    await promise;
    this.waiters.delete(wake);
    clearTimeout(timer);
    return true;
  }
}

/** What a router acknowledges an event with; nothing for events of circuits. */
function configurationAck(event: AppProxyEvent): [AckKind, string] | [undefined, ''] {
  switch (event.name) {
    case EVENT_NAMES.routerModelUpdated:
      return ['model_updated', event.model.model];
    case EVENT_NAMES.routerModelRemoved:
      return ['model_removed', event.model_name];
    case EVENT_NAMES.routerKeyUpdated:
      return ['key_updated', event.key_id];
    case EVENT_NAMES.routerKeyRemoved:
      return ['key_removed', event.key_id];
    default:
      return [undefined, ''];
  }
}
