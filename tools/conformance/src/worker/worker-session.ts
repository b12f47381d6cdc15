import { Agent } from 'node:http';
import { Redis } from 'ioredis';
import { EVENT_NAMES } from '@penstock/protocol';
import { Bus, type HeardMessage } from '../checking/bus.js';
import { CheckSkipped } from '../checking/expect.js';
import { at, type JsonObject, listAt, textAt } from '../checking/json.js';
import { makeCircuit } from './circuit.js';
import { publishCreated } from './bus-events.js';
import { Replica } from './replica.js';
import { ScriptedCoordinator } from './scripted-coordinator.js';
import type { WorkerMode, WorkerSuiteOptions } from './worker-suite-options.js';

/** How long the first pull is held up; a worker may acknowledge only after it. */
const RACE_MS = 300;
const LIVE_DATABASE = 2;
const PATIENCE_MS = 3_000;

/** A circuit that was there, or came up, while the worker started. */
export interface EarlyCircuit {
  readonly circuit: JsonObject;
  readonly replica: Replica;
}

/** One worker under test: it has registered and pulled, and is spoken to by checks. */
export class WorkerSession {
  readonly coordinator = new ScriptedCoordinator();
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly early = new Map<'pulled' | 'raced', EarlyCircuit>();
  /** The live database of the worker's Redis. */
  readonly live: Redis;
  private readonly replicas: Replica[] = [];
  private readonly portsInUse = new Set<number>();
  private portsTaken = 0;

  private constructor(
    readonly options: WorkerSuiteOptions,
    readonly bus: Bus,
  ) {
    this.live = new Redis(options.redisUrl, {
      db: LIVE_DATABASE,
      lazyConnect: true,
      maxRetriesPerRequest: 1,
    });
    this.live.on('error', () => undefined);
  }

  /**
   * Listens as a coordinator and waits for the worker.
   * @throws Error when the address or Redis cannot be had, or no worker registers and pulls in time.
   */
  static async start(options: WorkerSuiteOptions): Promise<WorkerSession> {
    const session = new WorkerSession(options, await Bus.connect(options.redisUrl));
    try {
      await session.receive();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  get mode(): WorkerMode {
    const mode = textAt(this.coordinator.registration, 'frontend_mode');
    return mode === 'port' || mode === 'router' ? mode : 'wildcard';
  }

  get authority(): string {
    return textAt(this.coordinator.registration, 'authority');
  }

  get domain(): string {
    return textAt(this.coordinator.registration, 'wildcard_domain');
  }

  get trafficHost(): string {
    return this.options.trafficHost ?? textAt(this.coordinator.registration, 'hostname');
  }

  get patienceMs(): number {
    return this.options.patienceMs ?? PATIENCE_MS;
  }

  /** Where a WILDCARD or ROUTER worker takes traffic. */
  get trafficPort(): number {
    const { registration } = this.coordinator;
    const registered = at(registration, this.mode === 'router' ? 'traffic_port' : 'wildcard_traffic_port');
    return this.options.trafficPort ?? Number(registered ?? at(registration, 'api_port'));
  }

  /**
   * A free port of a PORT worker. Ports are used in turn, so that a removal that is still under way meets no new circuit.
   * @throws CheckSkipped when the range is full.
   */
  takePort(): number {
    const [first = 0, last = -1] = listAt(this.coordinator.registration, 'port_range').map(Number);
    const size = last - first + 1;
    for (let tries = 0; tries < size; tries += 1) {
      const port = first + (this.portsTaken++ % size);
      if (this.portsInUse.has(port)) continue;
      this.portsInUse.add(port);
      return port;
    }
    throw new CheckSkipped('the port range of the worker is too small for this suite');
  }

  releasePort(port: number): void {
    this.portsInUse.delete(port);
  }

  /** The first message from the worker that fits. @returns `undefined` when none comes in time. */
  async heard(fits: (message: HeardMessage) => boolean, act: () => Promise<void>, ms: number) {
    const { promise, resolve } = Promise.withResolvers<HeardMessage | undefined>();
    const stop = this.bus.listen((message) => fits(message) && resolve(message));
    const timer = setTimeout(() => resolve(undefined), ms);
    try {
      await act();
      return await promise;
    } finally {
      clearTimeout(timer);
      stop();
    }
  }

  async close(): Promise<void> {
    this.bus.close();
    this.live.disconnect();
    this.agent.destroy();
    await this.coordinator.close();
    for (const replica of this.replicas) await replica.close();
  }

  private async receive(): Promise<void> {
    const { listen, waitMs = 120_000, onListening } = this.options;
    const [pulled, raced] = [await Replica.start('pulled'), await Replica.start('raced')];
    this.replicas.push(pulled, raced);
    this.coordinator.onRegistered = () => this.prepare(pulled, raced);
    this.coordinator.beforeFirstPull = () => this.race();
    await this.coordinator.start(listen);
    onListening?.(this.coordinator.url);
    const beaten = (): boolean => this.coordinator.callsOf('PATCH').length > 0;
    if (!(await this.coordinator.until(beaten, waitMs)))
      throw new Error(`no worker registered, pulled and sent a heartbeat within ${waitMs} ms`);
  }

  /** The first registration tells what kind of circuits the worker carries. */
  private prepare(pulled: Replica, raced: Replica): void {
    if (this.early.size > 0) return;
    for (const [kind, replica] of [
      ['pulled', pulled],
      ['raced', raced],
    ] as const)
      this.early.set(kind, { circuit: this.earlyCircuit(kind, replica), replica });
    const circuit = this.early.get('pulled')?.circuit;
    if (circuit) this.coordinator.circuits.set(textAt(circuit, 'id'), circuit);
  }

  /** A circuit created while the first pull is under way: it is announced, and not in the answer. */
  private async race(): Promise<void> {
    const circuit = this.early.get('raced')?.circuit;
    if (!circuit) return;
    const id = textAt(circuit, 'id');
    const acknowledged = ({ name, text }: HeardMessage): boolean =>
      name === EVENT_NAMES.workerCircuitAdded && text.includes(id);
    await this.heard(acknowledged, () => publishCreated(this.bus, this.authority, [circuit]), RACE_MS);
    this.coordinator.circuits.set(id, circuit);
  }

  private earlyCircuit(kind: string, replica: Replica): JsonObject {
    const place: JsonObject =
      this.mode === 'port' ? { port: this.takePort() } : { subdomain: `conformance-${kind}` };
    return makeCircuit(this, kind, { ...place, open_to_public: true }, [replica.port]);
  }
}
