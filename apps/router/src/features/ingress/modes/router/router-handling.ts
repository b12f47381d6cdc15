import { HEADERS } from '@penstock/protocol';
import { authenticate } from '../../../auth/index.js';
import { listModels, modelObject, readModelNames } from '../../../models/index.js';
import { requestHeaders } from '../../../proxy/index.js';
import { admittingEndpoints, authoriseModel } from '../../../routing/index.js';
import type { KeyEntry, Snapshot } from '../../../snapshot/index.js';
import { HEADER_TOKEN } from '../../domain/header-token.js';
import { namedModel, readInferenceBody } from '../../domain/inference-body.js';
import { checkMethod, servedRoute } from '../../domain/route-table.js';
import type { FrontExchange } from '../../front.port.js';
import { Handling } from '../../handling.js';
import type { HandlingDeps } from '../../handling-deps.js';

/**
 * One request of a router: a key, a model name, and the endpoints published under it. One snapshot serves the whole
 * request.
 */
export class RouterHandling extends Handling {
  private admitted: { readonly snapshot: Snapshot; readonly key: KeyEntry } | null = null;

  constructor(deps: HandlingDeps, client: FrontExchange) {
    super(deps, client, 'router');
    this.ownHeaders.push(...deps.cors.headers(client.header('origin')));
  }

  protected head(): void {
    const { client, deps, record } = this;
    const peer = this.begin();
    const { route, rest } = servedRoute(client.target);
    record.route = route.name;
    if (client.method === 'OPTIONS') return this.preflight(route);
    checkMethod(route, client.method);
    const snapshot = this.takeSnapshot();
    this.noteRevision(snapshot);
    const key = authenticate(snapshot, (name) => client.header(name), deps.now());
    record.keyId = key.keyId;
    record.projectId = key.projectId;
    deps.admission.admit(key, peer, deps.now());
    this.admitted = { snapshot, key };
    this.path = route.path;
    switch (route.kind) {
      case 'list_models':
        return this.answer(listModels(snapshot, key));
      case 'get_model':
        return this.getModel(snapshot, key, rest);
      case 'inference':
        return this.awaitBody(route);
    }
  }

  /** Authorise, plan, and hand over to the walk over replicas. */
  protected serve(bytes: Buffer): void {
    const { admitted, client, deps, record } = this;
    if (admitted === null) throw new Error('A body arrived for a request that was not admitted');
    const body = readInferenceBody(bytes, this.streams);
    const model = namedModel(body);
    record.stream = body.stream;
    record.phase = 'select';
    const route = authoriseModel(admitted.snapshot, admitted.key, model, deps.hideUngrantedModels);
    record.model = route.name;
    this.endpoints = admittingEndpoints(deps.registry.plan(route), record.peer ?? '');
    this.headers = requestHeaders(client.rawHeaders, record.id);
    // A stream may outlive many snapshots and must not keep its own in memory.
    this.admitted = null;
    this.forward(body);
  }

  private noteRevision({ revision }: Snapshot): void {
    this.record.revision = revision;
    if (HEADER_TOKEN.test(revision)) this.ownHeaders.push(HEADERS.revision, revision);
  }

  private getModel(snapshot: Snapshot, key: KeyEntry, rest: string): void {
    const names = readModelNames(rest);
    const name = names.find((candidate) => snapshot.modelsByName.has(candidate)) ?? names[0] ?? rest;
    authoriseModel(snapshot, key, name, this.deps.hideUngrantedModels);
    this.answer(modelObject(name));
  }
}
