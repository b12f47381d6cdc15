import { relayPassthrough, type PassthroughJob } from '../../../passthrough/index.js';
import type { EndpointTarget } from '../../../snapshot/index.js';
import type { HostMatch } from '../../../wildcard/index.js';
import { readInferenceBody } from '../../domain/inference-body.js';
import { routeOf, type Route } from '../../domain/route-table.js';
import type { FrontExchange } from '../../front.port.js';
import type { CircuitDeps } from './circuit-deps.js';
import { HostHandling } from './host-handling.js';
import { reachCircuit } from './reach-circuit.js';

/**
 * One request to the host of one endpoint. Inference calls get what they get from a router (retries, the model's name,
 * usage); everything else passes through as it is.
 */
export class CircuitHandling extends HostHandling implements PassthroughJob {
  private circuit: EndpointTarget | null = null;

  constructor(
    deps: CircuitDeps,
    client: FrontExchange,
    private readonly match: HostMatch,
  ) {
    super(deps, client);
  }

  protected head(): void {
    const { client, deps, record } = this;
    this.begin();
    const circuit = reachCircuit(deps, client, this.match, record);
    this.circuit = circuit;
    this.endpoints = [deps.registry.endpoint(circuit)];
    this.dispatch(routeOf(client.target)?.route ?? null);
  }

  private dispatch(route: Route | null): void {
    const { method } = this.client;
    this.record.route = route?.name ?? 'passthrough';
    if (route?.kind === 'inference' && route.methods.includes(method)) return this.awaitBody(route);
    if (route !== null && method === 'OPTIONS' && this.isPreflight()) return this.preflight(route);
    this.deps.load.check(0);
    this.record.phase = 'select';
    this.pass();
  }

  private pass(): void {
    const { deps, endpoints } = this;
    for (const { target } of endpoints) deps.forwarding.statistics.chosen(target.circuitId);
    relayPassthrough(deps.passthrough, this);
  }

  /** A page asks what it may send; whatever else `OPTIONS` means is for the replica to say. */
  private isPreflight(): boolean {
    const { client } = this;
    return (
      client.header('origin') !== undefined && client.header('access-control-request-method') !== undefined
    );
  }

  /** The model of the body counts for nothing: who is called was decided by the host. */
  protected serve(bytes: Buffer): void {
    const { record } = this;
    const body = readInferenceBody(bytes, this.streams);
    record.stream = body.stream;
    this.noteModel(body.model);
    record.phase = 'select';
    this.relay(body);
  }

  /** Asked when no replica of the circuit can serve: long after its credential was checked. */
  standIn(): boolean {
    const { circuit, deps, record } = this;
    if (circuit === null) return false;
    this.circuit = null;
    const plans = deps.fallback.plansFor({ circuit, requestId: record.id });
    if (plans.length > 0) this.endpoints = plans;
    return plans.length > 0;
  }
}
