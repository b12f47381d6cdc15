import { AppError } from '@penstock/protocol';
import { modelObject, readModelNames } from '../../../models/index.js';
import type { OutgoingRequest } from '../../../passthrough/index.js';
import type { EndpointPlan } from '../../../routing/index.js';
import type { EndpointTarget } from '../../../snapshot/index.js';
import { checkAddress, circuitOfToken, mismatch, readBearer } from '../../../wildcard/index.js';
import { checkMethod, routeOf, type Route } from '../../domain/route-table.js';
import { namedModel, readInferenceBody, type InferenceBody } from '../../domain/inference-body.js';
import { without } from './circuit-request.js';
import { discoverNames, type Names } from './discover-names.js';
import { endpointNotFound } from './find-circuit.js';
import { HostHandling } from './host-handling.js';

/**
 * One request to a host that stands for all endpoints: they are told apart by the model name their replicas have. Who
 * calls may use those that need no token, and the one its token is for.
 */
export class AggregateHandling extends HostHandling {
  private usable: readonly EndpointPlan[] = [];
  /** The one the caller's token is for; null for callers without one. */
  private own: EndpointPlan | null = null;

  protected head(): void {
    const { client, record } = this;
    const peer = this.begin();
    const served = routeOf(client.target);
    if (served === null) throw endpointNotFound();
    const { route, rest } = served;
    record.route = route.name;
    if (client.method === 'OPTIONS') return this.preflight(route);
    checkMethod(route, client.method);
    this.usable = this.usableBy(peer);
    this.deps.load.check(0);
    this.dispatch(route, rest);
  }

  private dispatch(route: Route, rest: string): void {
    switch (route.kind) {
      case 'list_models':
        return this.withNames(this.usable, null, (names) => this.answer(listOf(names)));
      case 'get_model':
        return this.withNames(this.usable, null, (names) => this.getModel(names, rest));
      case 'inference':
        return this.awaitBody(route);
    }
  }

  /** A token that is bad is refused, also where none would be needed: its sender relies on it. */
  private usableBy(peer: string): readonly EndpointPlan[] {
    const { client, deps } = this;
    const targets = [...deps.frontend.targets(this.takeSnapshot()).values()];
    const admitting = targets.filter((target) => target.allowsClient?.(peer) ?? true);
    const usable = new Set(admitting.filter((target) => !target.requiresToken));
    const authorization = client.header('authorization');
    if (authorization !== undefined) {
      const target = this.ofToken(targets, authorization, peer);
      usable.add(target);
      this.own = deps.registry.endpoint(target);
    }
    return [...usable].map((target) => deps.registry.endpoint(target));
  }

  private ofToken(targets: readonly EndpointTarget[], authorization: string, peer: string): EndpointTarget {
    const { tokens } = this.deps.frontend;
    const id = circuitOfToken(readBearer(authorization), (token) => tokens.check(token, this.deps.now()));
    const target = targets.find(({ circuitId }) => circuitId === id);
    if (target === undefined) throw mismatch();
    checkAddress(target, peer);
    return target;
  }

  protected serve(bytes: Buffer): void {
    const body = readInferenceBody(bytes, this.streams);
    const model = namedModel(body);
    this.record.stream = body.stream;
    this.noteModel(model);
    this.record.phase = 'select';
    this.withServing(model, (plans) => this.forwardTo(plans, body));
  }

  /** The caller's own endpoint first: nobody gets its calls by giving an open one the same name. */
  private withServing(model: string, use: (plans: readonly EndpointPlan[]) => void): void {
    const { own, usable } = this;
    const among = (plans: readonly EndpointPlan[], next: typeof use) =>
      this.withNames(plans, model, (names) => next(names.get(model) ?? []));
    if (own === null) return among(usable, use);
    const others = usable.filter((plan) => plan !== own);
    among([own], (found) => (found.length > 0 ? use(found) : among(others, use)));
  }

  private forwardTo(plans: readonly EndpointPlan[], body: InferenceBody): void {
    if (plans.length === 0) throw this.notServed();
    this.endpoints = plans;
    if (plans.length === 1) this.record.circuitId = plans[0]?.target.circuitId ?? null;
    this.relay(body);
  }

  /** A token goes to the replicas of its own circuit and to no others, which could use it. */
  protected override outgoing(): OutgoingRequest {
    const call = super.outgoing();
    if (this.own === null || this.endpoints.includes(this.own)) return call;
    return { ...call, headers: without(call.headers, 'authorization') };
  }

  /** Asks the replicas for the names they have, where that is not known yet. */
  private withNames(
    plans: readonly EndpointPlan[],
    wanted: string | null,
    use: (names: Names) => void,
  ): void {
    const { deps, record } = this;
    const done = (names: Names) => {
      if (record.outcome === null) this.guard(() => use(names));
    };
    discoverNames(deps.forwarding, { plans, wanted, done });
  }

  private getModel(names: ReadonlyMap<string, unknown>, rest: string): void {
    const name = readModelNames(rest).find((candidate) => names.has(candidate));
    if (name === undefined) throw this.notServed();
    this.answer(modelObject(name));
  }

  /** Without a token there may be more than can be seen. */
  private notServed(): AppError {
    if (this.own === null) return new AppError('E20006', 'Authorization header not provided');
    const message = 'No endpoint that this token may use serves this model. GET /v1/models lists them.';
    return new AppError('model_not_found', message, { param: 'model' });
  }
}

function listOf(names: ReadonlyMap<string, unknown>) {
  return { object: 'list' as const, data: [...names.keys()].sort().map(modelObject) };
}
