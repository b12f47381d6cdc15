import type { Circuit } from '@penstock/protocol';
import { decodeEnvelope, EVENT_CHANNEL } from '@penstock/protocol';
import { eventually, testRedisUrl, uniqueAuthority } from '@penstock/testkit';
import { Redis } from 'ioredis';
import { hostCall, type HostAnswer } from '../../src/testing/host-client.js';
import { ScriptedCoordinator } from './scripted-coordinator.js';
import { TestRouter } from './test-router.js';

export const JWT_SECRET = 'test-jwt-secret-for-vectors-only-32b';
export const DOMAIN = '.models.example.com';
const FOUR_KEYS = JSON.stringify({ request_id: null, user: null, triggered_user: null, traceparent: null });

/** A whole worker of ours between a scripted coordinator and the real bus, on which the test speaks as peers do. */
export class RunningWorker {
  /** Acknowledgements of this worker as they were on the channel. */
  readonly acks: string[] = [];

  private constructor(
    readonly authority: string,
    readonly coordinator: ScriptedCoordinator,
    readonly router: TestRouter,
    private readonly publisher: Redis,
    private readonly listener: Redis,
  ) {
    listener.on('message', (_channel: string, text: string) => this.hear(text));
  }

  static async start(
    mode: 'router' | 'wildcard',
    config: Readonly<Record<string, unknown>> = {},
    prepare: (coordinator: ScriptedCoordinator) => void = () => undefined,
  ): Promise<RunningWorker> {
    const authority = uniqueAuthority();
    const coordinator = new ScriptedCoordinator();
    prepare(coordinator);
    await coordinator.start();
    const wildcard = { domain: DOMAIN, jwt_secret: JWT_SECRET };
    const router = await TestRouter.start({
      authority,
      mode,
      ...(mode === 'wildcard' && { wildcard }),
      coordinator: { url: coordinator.url, api_secret: 'test-api-secret' },
      redis_url: testRedisUrl(),
      ...config,
    });
    const listener = new Redis(testRedisUrl());
    const worker = new RunningWorker(authority, coordinator, router, new Redis(testRedisUrl()), listener);
    await listener.subscribe(EVENT_CHANNEL);
    try {
      await worker.ready();
    } catch (error) {
      await worker.stop();
      throw error;
    }
    return worker;
  }

  private async ready(): Promise<void> {
    await eventually(async () => {
      const { ready, event_bus: bus } = await this.router.status();
      if (!ready || !bus.connected) throw new Error('not ready yet');
    });
  }

  get port(): number {
    return Number(new URL(this.router.publicUrl).port);
  }

  /** A request to the circuit with that label. */
  call(label: string, call: Omit<Parameters<typeof hostCall>[1], 'host'> = {}): Promise<HostAnswer> {
    return hostCall(this.port, { host: `${label}${DOMAIN}`, ...call });
  }

  /** Puts a message on the bus as it is. */
  publish(text: string): Promise<number> {
    return this.publisher.publish(EVENT_CHANNEL, text);
  }

  /** The next acknowledgement after what `act` does. */
  async acknowledged(act: () => Promise<unknown>): Promise<string> {
    const before = this.acks.length;
    await act();
    return eventually(() => {
      const text = this.acks[before];
      if (text === undefined) throw new Error('not acknowledged yet');
      return text;
    });
  }

  /**
   * Acknowledgements that a message brings: none, when only the one of the circuit sent after it comes back, because
   * messages are taken in the order they arrive.
   */
  async acksOf(text: string, afterwards: Circuit): Promise<readonly string[]> {
    const before = this.acks.length;
    await this.publish(text);
    await this.publish(this.created([afterwards]));
    return eventually(() => {
      const last = this.acks.findIndex((ack, index) => index >= before && ack.includes(afterwards.id));
      if (last === -1) throw new Error('not acknowledged yet');
      return this.acks.slice(before, last);
    });
  }

  /** Announces circuits and waits until this worker has them. */
  async create(...circuits: readonly Circuit[]): Promise<string> {
    const before = this.acks.length;
    await this.publish(this.created(circuits));
    return eventually(() => {
      const ack = this.acks.slice(before).find((text) => circuits.every(({ id }) => text.includes(id)));
      if (ack === undefined) throw new Error('not acknowledged yet');
      return ack;
    });
  }

  /** The message that announces circuits, as a coordinator 26.9 sends it. */
  created(circuits: readonly unknown[]): string {
    return this.message('appproxy_circuit_created_event', { circuits });
  }

  message(name: string, fields: Readonly<Record<string, unknown>>): string {
    const payload = JSON.stringify({ target_worker_authority: this.authority, ...fields });
    return JSON.stringify({ name, source: 'appproxy-coordinator', payload, metadata: FOUR_KEYS });
  }

  async stop(): Promise<void> {
    await this.router.stop();
    this.publisher.disconnect();
    this.listener.disconnect();
    await this.coordinator.stop();
  }

  private hear(text: string): void {
    const decoded = decodeEnvelope(text);
    if (decoded.ok && decoded.source === 'appproxy-worker' && decoded.event.authority === this.authority) {
      this.acks.push(text);
    }
  }
}

/** Circuits of an acknowledgement. */
export function circuitsOf(ack: string): readonly Circuit[] {
  const { payload } = JSON.parse(ack) as { readonly payload: string };
  return (JSON.parse(payload) as { readonly circuits: readonly Circuit[] }).circuits;
}
