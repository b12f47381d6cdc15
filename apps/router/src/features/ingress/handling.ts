import { AppError, HEADERS } from '@penstock/protocol';
import {
  Forwarding,
  interruptionError,
  openAiError,
  type ClientListener,
  type ForwardJob,
  type Interruption,
} from '../proxy/index.js';
import type { EndpointPlan } from '../routing/index.js';
import type { Snapshot } from '../snapshot/index.js';
import { newRequestId, RequestRecord, type Outcome } from '../usage/index.js';
import { currentSnapshot } from './current-snapshot.js';
import { checkBodyHead, checkDefect, tooLarge } from './domain/check-head.js';
import { errorHeaders } from './domain/error-headers.js';
import { rewriteInferenceBody, type InferenceBody } from './domain/inference-body.js';
import { methodsOf, type Route } from './domain/route-table.js';
import type { BodyReader, FrontExchange } from './front.port.js';
import type { HandlingDeps } from './handling-deps.js';
import { noteClientId } from './note-client-id.js';

const JSON_TYPE = ['content-type', 'application/json'];

/**
 * One request from its head to its end, as far as all modes agree: its record, its body, its errors. The order of the
 * steps is in the class of each mode and nowhere else. Every step either goes on or throws the error the caller gets.
 */
export abstract class Handling<Deps extends HandlingDeps = HandlingDeps>
  implements ClientListener, BodyReader, ForwardJob
{
  readonly record: RequestRecord;
  readonly ownHeaders: string[];
  path = '';
  headers: string[] = [];
  endpoints: readonly EndpointPlan[] = [];
  stripUsage = false;
  protected streams = false;
  private body: InferenceBody | null = null;
  private heldBytes = 0;

  constructor(
    protected readonly deps: Deps,
    readonly client: FrontExchange,
    mode: string,
  ) {
    const { method } = client;
    this.record = new RequestRecord(newRequestId(deps.now()), method, deps.forwarding.timers.now(), mode);
    this.ownHeaders = [HEADERS.requestId, this.record.id];
  }

  run(): void {
    this.deps.load.enter();
    this.client.listen(this);
    this.guard(() => this.head());
  }

  /** Everything that can be decided before the body is read. */
  protected abstract head(): void;

  /** The body is here: what it asks for, and who serves it. */
  protected abstract serve(bytes: Buffer): void;

  /** @returns the client's address */
  protected begin(): string {
    const { client, deps, record } = this;
    const peer = deps.clientAddress(client.peer, client.header('x-forwarded-for'));
    record.peer = peer;
    noteClientId(client.header(HEADERS.requestId), record, this.ownHeaders);
    checkDefect(client.defect);
    return peer;
  }

  protected awaitBody(route: Route): void {
    const { client, deps, record } = this;
    const { declaredLength } = client;
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
    if (this.record.outcome === null) this.guard(() => this.received(bytes));
  }

  tooLarge(): void {
    this.refuse(tooLarge(this.deps.bodyLimitBytes));
  }

  /** Hands over to the walk over replicas. */
  protected forward(body: InferenceBody): void {
    this.body = body;
    this.stripUsage = body.usageEdits.length > 0;
    new Forwarding(this.deps.forwarding, this).start();
  }

  bodyFor(servedModel: string | null): Buffer {
    if (this.body === null) throw new Error('The body was asked for after it had been released');
    return rewriteInferenceBody(this.body, servedModel);
  }

  releaseBody(): void {
    this.body = null;
    this.hold(0);
  }

  refuse(error: AppError): void {
    const { status, code, entry, cause } = error;
    this.client.reply(status, [...this.ownHeaders, ...this.errorHeaders(error)], this.errorBody(error));
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

  protected errorHeaders(error: AppError): readonly string[] {
    return errorHeaders(error);
  }

  protected errorBody(error: AppError): string {
    return openAiError(error);
  }

  protected answer(object: object): void {
    this.reply(200, [...this.ownHeaders, ...JSON_TYPE], JSON.stringify(object));
  }

  protected preflight(route: Route): void {
    const { client, deps } = this;
    const origin = client.header('origin');
    const asked = client.header('access-control-request-headers');
    const methods = methodsOf(route);
    const headers = [HEADERS.requestId, this.record.id, HEADERS.allow, methods.join(', ')];
    this.reply(204, [...headers, ...deps.cors.preflight(origin, methods, asked)], null);
  }

  protected takeSnapshot(): Snapshot {
    return currentSnapshot(this.deps.snapshots);
  }

  protected guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.refuse(error instanceof AppError ? error : unexpected(error));
    }
  }

  private received(bytes: Buffer): void {
    this.record.bodyBytes = bytes.length;
    this.hold(bytes.length);
    this.serve(bytes);
  }

  /** Counts what this request keeps in memory: first what was announced, then what has come. */
  private hold(bytes: number): void {
    this.deps.load.release(this.heldBytes);
    this.deps.load.hold(bytes);
    this.heldBytes = bytes;
  }

  private reply(status: number, headers: readonly string[], body: string | null): void {
    this.client.reply(status, headers, body);
    this.ended({ kind: 'completed', status, errorCode: null, fault: null });
  }
}

/** A failure nobody expected: the cause is for the log. */
export function unexpected(cause: unknown): AppError {
  return new AppError('internal_error', 'Something went wrong inside the router.', { cause });
}
