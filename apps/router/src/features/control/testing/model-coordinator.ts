import type { AppProxyEvent, Circuit, ModelApiKey, Publication, RouterConfig } from '@penstock/protocol';
import { apiKey, circuit, publication, route } from '../../snapshot/testing/wire-builders.js';
import { events } from './state-harness.js';

/** A number in [0, 1), the same sequence for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const NAMES = ['a', 'b', 'c'];

/**
 * The smallest coordinator that is right: every change is one commit that raises a number, and its event exists only
 * after it. `numbered` says whether events carry revisions and versions, as ours do.
 */
export class ModelCoordinator {
  readonly publications = new Map<string, Publication>();
  readonly keys = new Map<string, ModelApiKey>();
  readonly circuits = new Map<string, Circuit>();
  /** Hashes that were revoked, by key id, in the order of their revocation. */
  readonly revoked = new Map<string, string[]>();
  private readonly revocations = new Map<AppProxyEvent, readonly string[]>();
  private revision = 0;
  private generation = 0;

  constructor(
    private readonly random: () => number,
    private readonly numbered: boolean,
  ) {}

  /** Commits one change at random. @returns its event */
  commit(): AppProxyEvent {
    this.generation += 1;
    const changes = [
      () => this.putKey(),
      () => this.removeKey(),
      () => this.putModel(),
      () => this.removeModel(),
      () => this.putCircuit(),
      () => this.removeCircuit(),
    ];
    return (changes[Math.floor(this.random() * changes.length)] as () => AppProxyEvent)();
  }

  /** Hashes that are dead for a router which has applied this event. */
  revokedBy(event: AppProxyEvent): readonly string[] {
    return this.revocations.get(event) ?? [];
  }

  config(): RouterConfig {
    return {
      revision: String(this.revision),
      models: [...this.publications.values()],
      api_keys: [...this.keys.values()],
    };
  }

  private putKey(): AppProxyEvent {
    const id = this.name();
    this.retire(id);
    this.keys.set(id, { ...apiKey(id), token_hash: apiKey(`${id}-${this.generation}`).token_hash });
    return events.keyUpdated(id, this.nextRevision());
  }

  private removeKey(): AppProxyEvent {
    const id = this.name();
    this.retire(id);
    this.keys.delete(id);
    const event = events.keyRemoved(id, this.nextRevision());
    this.revocations.set(event, this.revoked.get(id) ?? []);
    return event;
  }

  private retire(id: string): void {
    const held = this.keys.get(id);
    if (held) this.revoked.set(id, [...(this.revoked.get(id) ?? []), held.token_hash]);
  }

  private putModel(): AppProxyEvent {
    const model = publication(this.name(), { A: 1 }, { policy: { generation: this.generation } });
    this.publications.set(model.model, model);
    return events.modelUpdated(model, this.nextRevision());
  }

  private removeModel(): AppProxyEvent {
    const name = this.name();
    this.publications.delete(name);
    return events.modelRemoved(name, this.nextRevision());
  }

  /** Ids of removed circuits are never used again. */
  private putCircuit(): AppProxyEvent {
    const held = [...this.circuits.values()].find(() => this.random() < 0.5);
    const id = held?.id ?? `c${this.generation}`;
    const next = circuit(id, id, {
      route_info: [route(`r${this.generation}`)],
      ...(this.numbered && { version: this.generation }),
    });
    this.circuits.set(id, next);
    return held ? events.routesUpdated(next, next.route_info) : events.circuitCreated(next);
  }

  private removeCircuit(): AppProxyEvent {
    const held = [...this.circuits.values()].find(() => this.random() < 0.5);
    if (!held) return events.circuitRemoved();
    this.circuits.delete(held.id);
    return events.circuitRemoved(this.numbered ? { ...held, version: this.generation } : held);
  }

  private name(): string {
    return NAMES[Math.floor(this.random() * NAMES.length)] as string;
  }

  private nextRevision(): string | undefined {
    this.revision += 1;
    return this.numbered ? String(this.revision) : undefined;
  }
}
