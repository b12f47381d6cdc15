import { randomBytes } from 'node:crypto';
import { EVENT_NAMES } from '@penstock/protocol';
import type { HeardMessage } from '../checking/bus.js';
import { CheckFailed, insist } from '../checking/expect.js';
import type { Answer } from '../checking/answer.js';
import { type Call, HttpClient } from '../checking/http-client.js';
import { type JsonObject, listAt, textAt } from '../checking/json.js';
import type { Disposable } from '../checking/run-checks.js';
import { publishCreated, publishRemoved, publishRoutes } from './bus-events.js';
import { idOf, makeCircuit, makeRoute, tokenFor } from './circuit.js';
import { Replica } from './replica.js';
import { WebSocketClient } from './websocket-client.js';
import type { WorkerSession } from './worker-session.js';

const PAUSE_MS = 20;

/** What one check of a worker works with: circuits, replicas and clients of its own. */
export class WorkerBench implements Disposable {
  private readonly replicas: Replica[] = [];
  private readonly circuits: JsonObject[] = [];
  private readonly releases: (() => void)[] = [];

  constructor(
    readonly session: WorkerSession,
    readonly checkId: string,
    private readonly signal: AbortSignal,
  ) {}

  async replica(name = 'replica'): Promise<Replica> {
    const replica = await Replica.start(name);
    this.replicas.push(replica);
    return replica;
  }

  /** A circuit that the worker has not been told about. */
  draft(fields: JsonObject = {}, replicas: readonly { port: number }[] = []): JsonObject {
    const { session } = this;
    const place: JsonObject =
      session.mode === 'port'
        ? { port: session.takePort() }
        : { subdomain: `t${randomBytes(6).toString('hex')}` };
    const circuit = makeCircuit(
      session,
      `conformance-${this.checkId}`,
      { ...place, ...fields },
      replicas.map(({ port }) => port),
    );
    this.circuits.push(circuit);
    return circuit;
  }

  /** A circuit that the worker has acknowledged. */
  async circuit(fields: JsonObject = {}, replicas: readonly { port: number }[] = []): Promise<JsonObject> {
    const circuit = this.draft(fields, replicas);
    await this.create([circuit]);
    return circuit;
  }

  /** An open circuit with one replica. */
  async serving(fields: JsonObject = {}): Promise<{ circuit: JsonObject; replica: Replica }> {
    const replica = await this.replica();
    return { circuit: await this.circuit({ open_to_public: true, ...fields }, [replica]), replica };
  }

  /** Announces circuits and gives the acknowledgement. @throws CheckFailed when none comes in time. */
  async create(
    circuits: readonly JsonObject[],
    mode: 'tuple' | 'json' | 'dual' = 'dual',
  ): Promise<HeardMessage> {
    const { session } = this;
    for (const circuit of circuits) session.coordinator.circuits.set(idOf(circuit), circuit);
    const ack = await this.acknowledgement(
      circuits,
      () => publishCreated(session.bus, session.authority, circuits, mode),
      session.patienceMs,
    );
    if (!ack) throw new CheckFailed(`no acknowledgement within ${session.patienceMs} ms`);
    return ack;
  }

  /** The acknowledgement of all these circuits, if one comes. */
  acknowledgement(circuits: readonly JsonObject[], act: () => Promise<void>, ms: number) {
    const wanted = circuits.map(idOf);
    return this.session.heard(
      ({ name, payload }) => {
        const ids = listAt(payload, 'circuits').map((one) => textAt(one, 'id'));
        return name === EVENT_NAMES.workerCircuitAdded && wanted.every((id) => ids.includes(id));
      },
      act,
      ms,
    );
  }

  /** Replaces the routes of a circuit. */
  async route(circuit: JsonObject, replicas: readonly { port: number }[]): Promise<void> {
    const routes = replicas.map(({ port }) => makeRoute(port));
    circuit['route_info'] = routes;
    await publishRoutes(this.session.bus, this.session.authority, circuit, routes);
  }

  /** Takes a circuit away. */
  async remove(circuit: JsonObject): Promise<void> {
    this.session.coordinator.circuits.delete(idOf(circuit));
    await publishRemoved(this.session.bus, this.session.authority, [circuit]);
  }

  token(circuit: JsonObject): string {
    return tokenFor(circuit, this.session.options.jwtSecret);
  }

  /** A request to a circuit, as a client of it that takes JSON. */
  request(circuit: JsonObject, method: string, path: string, call: Call = {}): Promise<Answer> {
    const headers = { host: this.hostOf(circuit), accept: 'application/json', ...call.headers };
    return this.client(circuit).send(method, path, { ...call, headers });
  }

  /** The client of a circuit, for answers that are read piece by piece. */
  client(circuit: JsonObject): HttpClient {
    const { agent } = this.session;
    return new HttpClient({
      baseUrl: this.originOf(circuit),
      headers: {},
      checkId: this.checkId,
      agent,
      signal: this.signal,
    });
  }

  async webSocket(
    circuit: JsonObject,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<WebSocketClient> {
    const userAgent = `penstock-conformance (${this.checkId})`;
    const socket = await WebSocketClient.open({
      host: this.session.trafficHost,
      port: this.portOf(circuit),
      path,
      patienceMs: this.session.patienceMs,
      headers: { Host: this.hostOf(circuit), 'User-Agent': userAgent, ...headers },
    });
    this.atEnd(() => socket.drop());
    return socket;
  }

  originOf(circuit: JsonObject): string {
    return `http://${this.session.trafficHost}:${this.portOf(circuit)}`;
  }

  /** Something to release at the end. */
  atEnd(release: () => void): void {
    this.releases.push(release);
  }

  /** A circuit to take away at the end. */
  owns(circuit: JsonObject): void {
    this.circuits.push(circuit);
  }

  hostOf(circuit: JsonObject): string {
    if (this.session.mode === 'port') return `${this.session.trafficHost}:${this.portOf(circuit)}`;
    return `${textAt(circuit, 'subdomain')}${this.session.domain}`;
  }

  /** Repeats a request until its answer fits. @throws CheckFailed with the last answer when the time is over. */
  async until(ask: () => Promise<Answer>, fits: (answer: Answer) => boolean, what: string): Promise<Answer> {
    const deadline = Date.now() + this.session.patienceMs;
    for (;;) {
      const answer = await ask();
      if (fits(answer)) return answer;
      insist(Date.now() < deadline, `${what}: still ${answer.status} ${answer.text.slice(0, 200)}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async close(): Promise<void> {
    for (const release of this.releases) release();
    for (const circuit of this.circuits) {
      await this.remove(circuit).catch(() => undefined);
      if (typeof circuit['port'] === 'number') this.session.releasePort(circuit['port']);
    }
    for (const replica of this.replicas) await replica.close();
  }

  private portOf({ port }: JsonObject): number {
    return typeof port === 'number' ? port : this.session.trafficPort;
  }
}

/** What the replica saw of a header. */
export function seenHeader(answer: Answer, name: string): string {
  return textAt(answer.json, `headers.${name}`);
}
