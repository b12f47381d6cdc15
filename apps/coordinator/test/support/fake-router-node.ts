import { randomUUID } from 'node:crypto';

import { createEventBus, type EventBus } from '@penstock/event-bus';
import {
  EVENT_NAMES,
  EVENT_SOURCES,
  type AckKind,
  type AppProxyEvent,
  type Circuit,
} from '@penstock/protocol';

import type { CoordinatorInstance } from './coordinator-instance.js';

const silent = { info: () => undefined, warn: () => undefined };

interface FakeRouterNodeOptions {
  readonly authority: string;
  readonly redisUrl: string;
  /** How it acknowledges. `never` stands for a node that died without saying so. */
  readonly acks?: 'always' | 'never' | 'without-node-id';
}

/** A router node as far as the coordinator can tell: it registers, hears events on the real bus and acknowledges them. */
export class FakeRouterNode {
  readonly nodeId = randomUUID();
  readonly events: AppProxyEvent[] = [];
  /** Trace context of each event heard, in the same order. */
  readonly traces: (string | undefined)[] = [];
  acks: 'always' | 'never' | 'without-node-id';
  workerId = '';

  private constructor(
    private readonly bus: EventBus,
    readonly authority: string,
    acks: FakeRouterNodeOptions['acks'],
  ) {
    this.acks = acks ?? 'always';
    bus.subscribe((event, { traceparent }) => this.hear(event, traceparent));
    bus.start();
  }

  /** Registered and listening. */
  static async join(
    coordinator: CoordinatorInstance,
    options: FakeRouterNodeOptions,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<FakeRouterNode> {
    const bus = createEventBus({ redisUrl: options.redisUrl, source: EVENT_SOURCES.worker, logger: silent });
    const node = new FakeRouterNode(bus, options.authority, options.acks);
    await bus.ready();
    await node.register(coordinator, fields);
    return node;
  }

  async register(
    coordinator: CoordinatorInstance,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const body = { ...registration(this.authority), node_id: this.nodeId, ...fields };
    const answer = await coordinator.call('PUT', '/api/worker', { body });
    if (answer.status !== 200) throw new Error(`registration failed: ${JSON.stringify(answer.body)}`);
    this.workerId = String(answer.body.id);
  }

  async beat(coordinator: CoordinatorInstance): Promise<void> {
    await coordinator.call('PATCH', `/api/worker/${this.workerId}`, { body: { node_id: this.nodeId } });
  }

  /** Events of one name that were heard so far. */
  heard<N extends AppProxyEvent['name']>(name: N): Extract<AppProxyEvent, { name: N }>[] {
    return this.events.filter((event): event is Extract<AppProxyEvent, { name: N }> => event.name === name);
  }

  async acknowledge(kind: AckKind, id: string, revision?: string): Promise<void> {
    const node_id = this.acks === 'without-node-id' ? null : this.nodeId;
    await this.bus.publish({
      name: EVENT_NAMES.routerConfigApplied,
      authority: this.authority,
      node_id,
      kind,
      id,
      ...(revision !== undefined && { revision }),
    });
  }

  private async acknowledgeCircuits(circuits: readonly Circuit[]): Promise<void> {
    await this.bus.publish({ name: EVENT_NAMES.workerCircuitAdded, authority: this.authority, circuits });
  }

  leave(): Promise<void> {
    return this.bus.close();
  }

  private async hear(event: AppProxyEvent, traceparent: string | undefined): Promise<void> {
    if (event.authority !== this.authority || isAck(event)) return;
    this.events.push(event);
    this.traces.push(traceparent);
    if (this.acks === 'never') return;
    switch (event.name) {
      case EVENT_NAMES.routerModelUpdated:
        return this.acknowledge('model_updated', event.model.model, event.revision);
      case EVENT_NAMES.routerModelRemoved:
        return this.acknowledge('model_removed', event.model_name, event.revision);
      case EVENT_NAMES.routerKeyUpdated:
        return this.acknowledge('key_updated', event.key_id, event.revision);
      case EVENT_NAMES.routerKeyRemoved:
        return this.acknowledge('key_removed', event.key_id, event.revision);
      case EVENT_NAMES.circuitCreated:
        return this.acknowledgeCircuits(event.circuits);
      case EVENT_NAMES.circuitRouteUpdated:
        return this.acknowledgeCircuits([event.circuit]);
      default:
        return;
    }
  }
}

function isAck({ name }: AppProxyEvent): boolean {
  return name === EVENT_NAMES.routerConfigApplied || name === EVENT_NAMES.workerCircuitAdded;
}

/** A router's registration in the values of the conformance vectors. */
export function registration(authority: string): Record<string, unknown> {
  return {
    authority,
    frontend_mode: 'router',
    protocol: 'http',
    hostname: 'router.example.com',
    tls_listen: false,
    tls_advertised: true,
    api_port: 8080,
    traffic_port: 443,
    accepted_traffics: ['inference'],
    filtered_apps_only: false,
    app_filters: [],
    port_range: null,
    wildcard_domain: null,
    wildcard_traffic_port: null,
    traefik_last_used_marker_path: null,
  };
}
