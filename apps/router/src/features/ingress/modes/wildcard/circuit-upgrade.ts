import { AppError, HEADERS } from '@penstock/protocol';
import type { EndpointPlan } from '../../../routing/index.js';
import { proxyUpgrade, type UpgradeJob } from '../../../upgrade/index.js';
import { newRequestId, RequestRecord, type Outcome } from '../../../usage/index.js';
import { authoriseCircuit, isModelApi } from '../../../wildcard/index.js';
import { checkDefect } from '../../domain/check-head.js';
import { HEADER_TOKEN } from '../../domain/header-token.js';
import { pathOf } from '../../domain/route-table.js';
import type { UpgradeExchange } from '../../front.port.js';
import type { CircuitDeps } from './circuit-deps.js';
import { findCircuit } from './find-circuit.js';
import { hostErrorBody, hostErrorHeaders } from './host-handling.js';

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
    const { frontend } = deps;
    const peer = deps.clientAddress(client.peer, client.header('x-forwarded-for'));
    record.peer = peer;
    this.noteClientId();
    checkDefect(client.defect);
    if (client.method === 'CONNECT') throw new AppError('method_not_allowed', NO_TUNNEL, { allow: ['GET'] });
    const snapshot = deps.snapshots.current();
    if (snapshot === null) throw new AppError('not_ready', NOT_READY, { retryAfterSeconds: 1 });
    const match = frontend.hosts.match(client.target, client.header('host'));
    const circuit = findCircuit(frontend, snapshot, match);
    record.circuitId = circuit.circuitId;
    authoriseCircuit(circuit, {
      peer,
      method: client.method,
      authorization: client.header('authorization'),
      check: (token) => frontend.tokens.check(token, deps.now()),
    });
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

  private noteClientId(): void {
    const sent = this.client.header(HEADERS.requestId);
    if (sent === undefined || !HEADER_TOKEN.test(sent)) return;
    this.record.clientRequestId = sent;
    this.ownHeaders.push(HEADERS.clientRequestId, sent);
  }
}

const NO_TUNNEL = 'This is no proxy to tunnel through.';
const NOT_READY = 'This router has no configuration yet. Try again shortly.';

function unexpected(cause: unknown): AppError {
  return new AppError('internal_error', 'Something went wrong inside the router.', { cause });
}
