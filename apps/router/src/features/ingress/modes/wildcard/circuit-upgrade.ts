import { AppError, HEADERS } from '@penstock/protocol';
import type { EndpointPlan } from '../../../routing/index.js';
import { proxyUpgrade, type UpgradeJob } from '../../../upgrade/index.js';
import { newRequestId, RequestRecord, type Outcome } from '../../../usage/index.js';
import { isModelApi } from '../../../wildcard/index.js';
import { checkDefect } from '../../domain/check-head.js';
import { pathOf } from '../../domain/route-table.js';
import type { UpgradeExchange } from '../../front.port.js';
import { unexpected } from '../../handling.js';
import { noteClientId } from '../../note-client-id.js';
import type { CircuitDeps } from './circuit-deps.js';
import { hostErrorBody, hostErrorHeaders } from './host-handling.js';
import { reachCircuit } from './reach-circuit.js';

/** One connection to the host of an endpoint that asks to leave HTTP: the steps of any other request there. */
export class CircuitUpgrade implements UpgradeJob {
  readonly record: RequestRecord;
  readonly ownHeaders: string[];
  endpoints: readonly EndpointPlan[] = [];

  constructor(
    private readonly deps: CircuitDeps,
    readonly client: UpgradeExchange,
  ) {
    const { now, forwarding, frontend } = deps;
    this.record = new RequestRecord(
      newRequestId(now()),
      client.method,
      forwarding.timers.now(),
      frontend.mode,
    );
    this.record.route = 'upgrade';
    this.ownHeaders = [HEADERS.requestId, this.record.id];
  }

  run(): void {
    this.deps.load.enter();
    try {
      this.head();
    } catch (error) {
      this.refuse(error instanceof AppError ? error : unexpected(error));
    }
  }

  private head(): void {
    const { client, deps, record } = this;
    record.peer = deps.clientAddress(client.peer, client.header('x-forwarded-for'));
    noteClientId(client.header(HEADERS.requestId), record, this.ownHeaders);
    checkDefect(client.defect);
    if (client.method === 'CONNECT') throw new AppError('method_not_allowed', NO_TUNNEL, { allow: ['GET'] });
    const match = deps.frontend.hosts.match(client.target, client.header('host'));
    const circuit = reachCircuit(deps, client, match, record);
    deps.load.check(0);
    this.endpoints = [deps.registry.endpoint(circuit)];
    record.phase = 'select';
    deps.forwarding.statistics.chosen(circuit.circuitId);
    proxyUpgrade(deps.upgrades, this);
  }

  refuse(error: AppError): void {
    const { status, code, entry, cause } = error;
    const isApi = isModelApi(pathOf(this.client.target));
    const cors = this.deps.cors.openHeaders(this.client.header('origin'));
    this.client.refuse({
      status,
      headers: [...this.ownHeaders, ...cors, ...hostErrorHeaders(error, isApi)],
      body: hostErrorBody(error, isApi),
    });
    this.ended({ kind: 'refused', status, errorCode: code, fault: entry.fault, cause });
  }

  ended(outcome: Outcome): void {
    if (this.deps.finisher.finish(this.record, outcome)) this.deps.load.leave();
  }
}

const NO_TUNNEL = 'This is no proxy to tunnel through.';
