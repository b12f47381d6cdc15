import { AppError, HEADERS } from '@penstock/protocol';
import { authenticate } from '../auth/index.js';
import { listModels, modelObject, readModelNames } from '../models/index.js';
import {
  Forwarding,
  interruptionError,
  openAiError,
  requestHeaders,
  type ClientListener,
  type ForwardJob,
  type Interruption,
} from '../proxy/index.js';
import { admittingEndpoints, authoriseModel, type EndpointPlan } from '../routing/index.js';
import type { KeyEntry, Snapshot } from '../snapshot/index.js';
import { newRequestId, RequestRecord, type Outcome } from '../usage/index.js';
import { checkBodyHead, checkDefect, tooLarge } from './domain/check-head.js';
import { errorHeaders } from './domain/error-headers.js';
import { readInferenceBody, rewriteInferenceBody, type InferenceBody } from './domain/inference-body.js';
import { checkMethod, methodsOf, servedRoute, type Route } from './domain/route-table.js';
import type { BodyReader, FrontExchange } from './front.port.js';
import type { RequestHandlerDeps } from './request-handler-deps.js';

const JSON_TYPE = ['content-type', 'application/json'];
/** What may go into a header of an answer as it came. */
const HEADER_TOKEN = /^[\x21-\x7e]{1,128}$/;

/**
 * One request from its head to its end: the order of the steps is here and nowhere else. Every step either goes on or
 * throws the error the caller gets. One snapshot serves the whole request.
 */
export class Handling implements ClientListener, BodyReader, ForwardJob {
  readonly record: RequestRecord;
  readonly ownHeaders: string[];
  path = '';
  headers: string[] = [];
  endpoints: readonly EndpointPlan[] = [];
  stripUsage = false;
  private streams = false;
  private admitted: { readonly snapshot: Snapshot; readonly key: KeyEntry } | null = null;
  private body: InferenceBody | null = null;
  private heldBytes = 0;

  constructor(
    private readonly deps: RequestHandlerDeps,
    readonly client: FrontExchange,
  ) {
    this.record = new RequestRecord(newRequestId(deps.now()), client.method, deps.forwarding.timers.now());
    this.ownHeaders = [HEADERS.requestId, this.record.id, ...deps.cors.headers(client.header('origin'))];
  }

  run(): void {
    this.deps.load.enter();
    this.client.listen(this);
    this.guard(() => this.head());
  }

  /** Everything that can be decided before the body is read. */
  private head(): void {
    const { client, deps, record } = this;
    const peer = deps.clientAddress(client.peer, client.header('x-forwarded-for'));
    record.peer = peer;
    this.noteClientId();
    checkDefect(client.defect);
    const { route, rest } = servedRoute(client.target);
    record.route = route.name;
    if (client.method === 'OPTIONS') return this.preflight(route);
    checkMethod(route, client.method);
    const snapshot = this.takeSnapshot();
    const key = authenticate(snapshot, (name) => client.header(name), deps.now());
    record.keyId = key.keyId;
    record.projectId = key.projectId;
    deps.admission.admit(key, peer, deps.now());
    this.admitted = { snapshot, key };
    switch (route.kind) {
      case 'list_models':
        return this.answer(listModels(snapshot, key));
      case 'get_model':
        return this.getModel(snapshot, key, rest);
      case 'inference':
        return this.awaitBody(route);
    }
  }

  private awaitBody(route: Route): void {
    const { client, deps, record } = this;
    const { declaredLength } = client;
    this.path = route.path;
    this.streams = route.streams;
    const contentType = client.header('content-type');
    const contentEncoding = client.header('content-encoding');
    checkBodyHead({ contentType, contentEncoding, declaredLength }, deps.bodyLimitBytes);
    deps.load.check(declaredLength ?? 0);
    this.hold(declaredLength ?? 0);
    record.phase = 'body';
    client.readBody(deps.bodyLimitBytes, this);
  }

  grown(bytes: number): void {
    this.guard(() => {
      this.deps.load.checkBytes(bytes - this.heldBytes);
      this.hold(bytes);
    });
  }

  complete(bytes: Buffer): void {
    if (this.record.outcome === null) this.guard(() => this.serve(bytes));
  }

  tooLarge(): void {
    this.refuse(tooLarge(this.deps.bodyLimitBytes));
  }

  /** Authorise, plan, and hand over to the walk over replicas. */
  private serve(bytes: Buffer): void {
    const { admitted, client, deps, record } = this;
    if (admitted === null) throw new Error('A body arrived for a request that was not admitted');
    record.bodyBytes = bytes.length;
    this.hold(bytes.length);
    const body = readInferenceBody(bytes, this.streams);
    record.stream = body.stream;
    record.phase = 'select';
    const route = authoriseModel(admitted.snapshot, admitted.key, body.model, deps.hideUngrantedModels);
    record.model = route.name;
    this.endpoints = admittingEndpoints(deps.registry.plan(route), record.peer ?? '');
    this.headers = requestHeaders(client.rawHeaders, record.id);
    this.body = body;
    this.stripUsage = body.usageEdits.length > 0;
    // A stream may outlive many snapshots and must not keep its own in memory.
    this.admitted = null;
    new Forwarding(deps.forwarding, this).start();
  }

  bodyFor(servedModel: string | null): Buffer {
    if (this.body === null) throw new Error('The body was asked for after it had been released');
    return rewriteInferenceBody(this.body, servedModel);
  }

  /** Counts what this request keeps in memory: first what was announced, then what has come. */
  private hold(bytes: number): void {
    this.deps.load.release(this.heldBytes);
    this.deps.load.hold(bytes);
    this.heldBytes = bytes;
  }

  releaseBody(): void {
    this.body = null;
    this.hold(0);
  }

  refuse(error: AppError): void {
    const { status, code, entry, cause } = error;
    this.client.reply(status, [...this.ownHeaders, ...errorHeaders(error)], openAiError(error));
    this.ended({ kind: 'refused', status, errorCode: code, fault: entry.fault, cause });
  }

  ended(outcome: Outcome): void {
    if (!this.deps.finisher.finish(this.record, outcome)) return;
    this.releaseBody();
    this.deps.load.leave();
  }

  drained(): void {
    // Nothing is written before the answer is handed over to its relay.
  }

  gone(): void {
    this.ended({ kind: 'client_closed', status: null, errorCode: 'client_closed_request', fault: 'client' });
  }

  interrupted(reason: Interruption): void {
    this.refuse(interruptionError(reason));
  }

  private answer(object: object): void {
    this.reply(200, [...this.ownHeaders, ...JSON_TYPE], JSON.stringify(object));
  }

  private reply(status: number, headers: readonly string[], body: string | null): void {
    this.client.reply(status, headers, body);
    this.ended({ kind: 'completed', status, errorCode: null, fault: null });
  }

  private guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.refuse(error instanceof AppError ? error : unexpected(error));
    }
  }

  private noteClientId(): void {
    const sent = this.client.header(HEADERS.requestId);
    if (sent === undefined || !HEADER_TOKEN.test(sent)) return;
    this.record.clientRequestId = sent;
    this.ownHeaders.push(HEADERS.clientRequestId, sent);
  }

  private preflight(route: Route): void {
    const { client, deps } = this;
    const origin = client.header('origin');
    const asked = client.header('access-control-request-headers');
    const methods = methodsOf(route);
    const headers = [HEADERS.requestId, this.record.id, HEADERS.allow, methods.join(', ')];
    this.reply(204, [...headers, ...deps.cors.preflight(origin, methods, asked)], null);
  }

  private takeSnapshot(): Snapshot {
    const snapshot = this.deps.snapshots.current();
    if (snapshot === null) {
      throw new AppError('not_ready', 'This router has no configuration yet. Try again shortly.', {
        retryAfterSeconds: 1,
      });
    }
    const { revision } = snapshot;
    this.record.revision = revision;
    if (HEADER_TOKEN.test(revision)) this.ownHeaders.push(HEADERS.revision, revision);
    return snapshot;
  }

  private getModel(snapshot: Snapshot, key: KeyEntry, rest: string): void {
    const names = readModelNames(rest);
    const name = names.find((candidate) => snapshot.modelsByName.has(candidate)) ?? names[0] ?? rest;
    authoriseModel(snapshot, key, name, this.deps.hideUngrantedModels);
    this.answer(modelObject(name));
  }
}

function unexpected(cause: unknown): AppError {
  return new AppError('internal_error', 'Something went wrong inside the router.', { cause });
}
