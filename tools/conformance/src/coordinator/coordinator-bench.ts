import { randomBytes, randomUUID } from 'node:crypto';
import type { Bus } from '../checking/bus.js';
import type { Disposable } from '../checking/run-checks.js';
import { CheckSkipped, expectStatus } from '../checking/expect.js';
import type { Answer } from '../checking/answer.js';
import { type Call, HttpClient } from '../checking/http-client.js';
import { type Json, type JsonObject, listAt, textAt } from '../checking/json.js';
import type { CoordinatorTarget } from './coordinator-target.js';
import { endpointItem, type EndpointFields } from './endpoint-item.js';
import { FakeWorker } from './fake-worker.js';
import { registration, type WorkerKind } from './registration.js';

const SOMEBODY_ELSE = 'another worker of this coordinator was picked';

/** An endpoint that a check created. */
export interface CreatedEndpoint {
  readonly id: string;
  readonly url: string;
}

/** What one check of a coordinator works with: calls as manager and as worker, workers and endpoints of its own. */
export class CoordinatorBench implements Disposable {
  /** Differs for every check of every run; fit for host names. */
  readonly tag = `c${randomBytes(5).toString('hex')}`;
  private readonly workers: FakeWorker[] = [];
  private readonly endpoints: string[] = [];
  private readonly undoings: { method: string; path: string; body?: Json }[] = [];
  private readonly withSecret: HttpClient;
  private readonly withoutSecret: HttpClient;
  private readonly cleaner: HttpClient;

  constructor(
    readonly target: CoordinatorTarget,
    readonly checkId: string,
    signal: AbortSignal,
  ) {
    const options = { baseUrl: target.url, checkId, agent: target.agent };
    const headers = { 'x-backendai-token': target.apiSecret };
    this.withSecret = new HttpClient({ ...options, headers, signal });
    this.withoutSecret = new HttpClient({ ...options, headers: {}, signal });
    this.cleaner = new HttpClient({ ...options, headers, signal: AbortSignal.timeout(60_000) });
  }

  /** Guaranteed by `needs: ['bus']`. */
  get bus(): Bus {
    if (!this.target.bus) throw new CheckSkipped('no Redis URL was given');
    return this.target.bus;
  }

  /** A call with the secret. */
  call(method: string, path: string, body?: Json): Promise<Answer> {
    return this.withSecret.send(method, path, body === undefined ? {} : { body });
  }

  /** A call with the secret and more of its own. */
  send(method: string, path: string, call: Call): Promise<Answer> {
    return this.withSecret.send(method, path, call);
  }

  /** A call without credentials, unless the call has some. */
  anonymous(method: string, path: string, call: Call = {}): Promise<Answer> {
    return this.withoutSecret.send(method, path, call);
  }

  /** A registration that nobody else has sent. */
  registration(kind: WorkerKind): JsonObject {
    return registration(kind, `${this.checkId}.${this.tag}`, this.tag, this.workers.length);
  }

  /** A call to make at the end, last asked for first. */
  undo(method: string, path: string, body?: Json): void {
    this.undoings.unshift({ method, path, ...(body !== undefined && { body }) });
  }

  /** A registered worker that listens to the bus, where there is one, and acknowledges. */
  async worker(kind: WorkerKind, fields: JsonObject = {}): Promise<FakeWorker> {
    const body = { ...this.registration(kind), ...fields };
    const worker = new FakeWorker(body, this.target.bus);
    this.workers.push(worker);
    const answer = await this.call('PUT', '/api/worker', body);
    this.skipIfCrowded(answer);
    expectStatus(answer, 200);
    worker.id = textAt(answer.json, 'id');
    worker.registered = answer.json;
    return worker;
  }

  /** Something to undo at the end: an endpoint made by other means than {@link endpoint}. */
  owns(endpointId: string): string {
    this.endpoints.push(endpointId);
    return endpointId;
  }

  /** An endpoint, by the bulk call; on that worker when it is given. */
  async endpoint(worker?: FakeWorker, fields: EndpointFields = {}): Promise<CreatedEndpoint> {
    const id = this.owns(randomUUID());
    const item = endpointItem(id, { existingUrl: worker?.urlFor(this.endpoints.length) ?? null, ...fields });
    const answer = await this.call('POST', '/v2/endpoints/bulk', { endpoints: [item] });
    expectStatus(answer, 200);
    return { id, url: textAt(answer.json, 'endpoints.0.url') };
  }

  /** An item for the creation of an endpoint that is removed at the end. */
  item(fields: EndpointFields = {}): JsonObject {
    return endpointItem(this.owns(randomUUID()), fields);
  }

  /** An endpoint, placed by the coordinator on a worker of this check. */
  async placed(fields: EndpointFields): Promise<CreatedEndpoint> {
    const endpoint = await this.endpoint(undefined, fields);
    if (!endpoint.url.includes(this.tag)) throw new CheckSkipped(SOMEBODY_ELSE);
    return endpoint;
  }

  /** For creations that should fail: without meaning when somebody else's worker took the endpoint. */
  skipIfPlaced({ status, json }: Answer): void {
    if (status === 200 && !textAt(json, 'endpoints.0.url').includes(this.tag))
      throw new CheckSkipped(SOMEBODY_ELSE);
  }

  /** For hand-overs: without meaning when the address is not at a worker of this check. */
  skipIfElsewhere(address: string): void {
    const handedOver = address.includes('/setup?token=');
    if (handedOver && !address.includes(this.tag)) throw new CheckSkipped(SOMEBODY_ELSE);
  }

  /** For registrations: colocation is refused when somebody else's worker of the other sort is attached. */
  skipIfCrowded({ status, json }: Answer): void {
    if (status === 409 && textAt(json, 'title').startsWith('E10002'))
      throw new CheckSkipped('workers of another kind are attached to this coordinator');
  }

  /** For refusals that a switch of the coordinator turns off. */
  skipIfOpen({ status }: Answer): void {
    if (status === 200) throw new CheckSkipped('this coordinator is set to ask for no secret here');
  }

  /** The circuits of a worker. */
  async circuits(worker: FakeWorker): Promise<Json[]> {
    const answer = await this.call('GET', `/api/worker/${worker.id}/circuits`);
    expectStatus(answer, 200);
    return listAt(answer.json, 'circuits');
  }

  /** The only circuit of a worker; `undefined` when it has none. */
  async circuit(worker: FakeWorker): Promise<Json | undefined> {
    return (await this.circuits(worker))[0];
  }

  /** Removes what the check made, as far as the protocol can. */
  async close(): Promise<void> {
    for (const worker of this.workers) worker.stopWaiting();
    try {
      for (const { method, path, ...call } of this.undoings) await this.cleaner.send(method, path, call);
      await this.removeEndpoints();
      for (const worker of this.workers) await this.removeWorker(worker);
    } catch {
      // The target is gone or broken, which the checks have told already.
    }
    for (const worker of this.workers) worker.leave();
  }

  private async removeEndpoints(): Promise<void> {
    if (this.endpoints.length === 0) return;
    const endpoints = this.endpoints.toReversed().map((id) => ({ deployment_id: id }));
    await this.cleaner.send('DELETE', '/v2/endpoints/bulk', { body: { endpoints } });
  }

  private async removeWorker(worker: FakeWorker): Promise<void> {
    if (worker.id === '' || worker.deregistered) return;
    if (worker.mayHaveCircuits) await this.removeCircuits(worker);
    const query = worker.nodeId === undefined ? '' : `?node_id=${worker.nodeId}`;
    await this.cleaner.send('DELETE', `/api/worker/${worker.id}${query}`);
  }

  private async removeCircuits(worker: FakeWorker): Promise<void> {
    const answer = await this.cleaner.send('GET', `/api/worker/${worker.id}/circuits`);
    const ids = listAt(answer.json, 'circuits').map((circuit) => textAt(circuit, 'id'));
    if (ids.length > 0)
      await this.cleaner.send('DELETE', '/api/circuit/_/bulk', { body: { circuit_ids: ids } });
  }
}
