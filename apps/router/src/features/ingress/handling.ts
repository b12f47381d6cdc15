import { AppError, HEADERS } from '@penstock/protocol';
import { authenticate } from '../auth/index.js';
import { listModels, modelObject, readModelNames } from '../models/index.js';
import {
  Forwarding,
  openAiError,
  requestHeaders,
  type ClientListener,
  type ForwardJob,
} from '../proxy/index.js';
import { admittingEndpoints, authoriseModel, type EndpointPlan } from '../routing/index.js';
import type { KeyEntry, Snapshot } from '../snapshot/index.js';
import { newRequestId, RequestRecord, type Outcome } from '../usage/index.js';
import { checkBodyHead, tooLarge } from './domain/check-head.js';
import { readInferenceBody, rewriteInferenceBody, type InferenceBody } from './domain/inference-body.js';
import { findRoute, pathOf, ROUTES, type Route } from './domain/route-table.js';
import type { BodyReader, FrontExchange } from './front.port.js';
import type { RequestHandlerDeps } from './request-handler-deps.js';

const JSON_TYPE = ['content-type', 'application/json'];
const CLIENT_ID = /^[\x21-\x7e]{1,128}$/;

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
  private route: Route | null = null;
  private admitted: { readonly snapshot: Snapshot; readonly key: KeyEntry } | null = null;
  private body: InferenceBody | null = null;
  private peer = '';
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
    this.noteClientId();
    const rest = this.findRoute();
    if (rest === null) return;
    this.peer = deps.clientAddress(client.peer, client.header('x-forwarded-for'));
    record.peer = this.peer;
    const snapshot = this.takeSnapshot();
    const key = authenticate(snapshot, (name) => client.header(name), deps.now());
    record.keyId = key.keyId;
    record.projectId = key.projectId;
    deps.admission.admit(key, this.peer, deps.now());
    this.admitted = { snapshot, key };
    switch (this.route?.kind) {
      case 'list_models':
        return this.reply(200, JSON_TYPE, JSON.stringify(listModels(snapshot, key)));
      case 'get_model':
        return this.getModel(snapshot, key, rest);
      default:
        return this.awaitBody();
    }
  }

  private awaitBody(): void {
    const { client, deps, record } = this;
    deps.load.check(client.declaredLength ?? 0);
    this.hold(client.declaredLength ?? 0);
    const contentType = client.header('content-type');
    const contentEncoding = client.header('content-encoding');
    checkBodyHead(
      { contentType, contentEncoding, declaredLength: client.declaredLength },
      deps.bodyLimitBytes,
    );
    record.phase = 'body';
    client.readBody(deps.bodyLimitBytes, this);
  }

  complete(bytes: Buffer): void {
    this.guard(() => this.serve(bytes));
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
    const body = readInferenceBody(bytes, this.route?.streams === true);
    record.stream = body.stream;
    record.phase = 'select';
    const route = authoriseModel(admitted.snapshot, admitted.key, body.model, deps.hideUngrantedModels);
    record.model = route.name;
    this.endpoints = admittingEndpoints(deps.registry.plan(route), this.peer);
    this.headers = requestHeaders(client.rawHeaders, record.id);
    this.body = body;
    this.stripUsage = body.usageEdit !== null;
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
    const { entry, code, retryAfterSeconds, allow } = error;
    const headers = [...JSON_TYPE];
    if (retryAfterSeconds !== undefined) headers.push(HEADERS.retryAfter, String(retryAfterSeconds));
    if (allow !== undefined) headers.push(HEADERS.allow, allow.join(', '));
    this.client.reply(error.status, [...this.ownHeaders, ...headers], openAiError(error));
    this.ended({
      kind: 'refused',
      status: error.status,
      errorCode: code,
      fault: entry.fault,
      cause: error.cause,
    });
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

  private reply(status: number, headers: readonly string[], body: string | null): void {
    this.client.reply(status, [...this.ownHeaders, ...headers], body);
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
    if (sent === undefined || !CLIENT_ID.test(sent)) return;
    this.record.clientRequestId = sent;
    this.ownHeaders.push(HEADERS.clientRequestId, sent);
  }

  /** @returns what follows the route's path, or null when the request has been answered */
  private findRoute(): string | null {
    const { client } = this;
    const path = pathOf(client.target);
    const found = findRoute(path);
    if (found === null) {
      const paths = ROUTES.map((route) => route.path).join(', ');
      throw new AppError('unknown_url', `Nothing is served under this path. Served are: ${paths}.`);
    }
    const { route, rest } = found;
    this.route = route;
    this.record.route = route.name;
    if (client.method === 'OPTIONS') return this.preflight(route);
    if (!route.methods.includes(client.method)) {
      const message = `${route.path} takes ${route.methods.join(' and ')} only.`;
      throw new AppError('method_not_allowed', message, { allow: [...route.methods, 'OPTIONS'] });
    }
    this.path = route.path;
    return rest;
  }

  private preflight(route: Route): null {
    const { client, deps } = this;
    const origin = client.header('origin');
    const asked = client.header('access-control-request-headers');
    const methods = [...route.methods, 'OPTIONS'];
    const headers = [HEADERS.requestId, this.record.id, HEADERS.allow, methods.join(', ')];
    client.reply(204, [...headers, ...deps.cors.preflight(origin, methods, asked)], null);
    this.ended({ kind: 'completed', status: 204, errorCode: null, fault: null });
    return null;
  }

  private takeSnapshot(): Snapshot {
    const snapshot = this.deps.snapshots.current();
    if (snapshot === null) {
      throw new AppError('not_ready', 'This router has no configuration yet. Try again shortly.', {
        retryAfterSeconds: 1,
      });
    }
    this.record.revision = snapshot.revision;
    this.ownHeaders.push(HEADERS.revision, snapshot.revision);
    return snapshot;
  }

  private getModel(snapshot: Snapshot, key: KeyEntry, rest: string): void {
    const names = readModelNames(rest);
    const name = names.find((candidate) => snapshot.modelsByName.has(candidate)) ?? names[0] ?? rest;
    authoriseModel(snapshot, key, name, this.deps.hideUngrantedModels);
    this.reply(200, JSON_TYPE, JSON.stringify(modelObject(name)));
  }
}

function unexpected(cause: unknown): AppError {
  return new AppError('internal_error', 'Something went wrong inside the router.', { cause });
}
