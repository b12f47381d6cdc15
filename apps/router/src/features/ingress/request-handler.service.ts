import { AppError, HEADERS } from '@penstock/protocol';
import type { AdmissionService, ClientAddress, LoadShedder } from '../admission/index.js';
import type { ForwardingDeps } from '../proxy/index.js';
import { openAiError } from '../proxy/index.js';
import type { ReplicaRegistry } from '../routing/index.js';
import type { SnapshotStore } from '../snapshot/index.js';
import { newRequestId, type RequestFinisher } from '../usage/index.js';
import type { CorsPolicy } from './domain/cors.js';
import type { FrontExchange, FrontHandler, UpgradeExchange } from './front.port.js';
import { Handling } from './handling.js';

/** What the steps of a request need from the process. */
export interface RequestHandlerDeps {
  readonly snapshots: SnapshotStore;
  readonly registry: ReplicaRegistry;
  readonly admission: AdmissionService;
  readonly load: LoadShedder;
  readonly clientAddress: ClientAddress;
  readonly cors: CorsPolicy;
  readonly finisher: RequestFinisher;
  readonly forwarding: ForwardingDeps;
  readonly bodyLimitBytes: number;
  readonly hideUngrantedModels: boolean;
  /** Wall clock in milliseconds since the epoch; keys expire by it. */
  readonly now: () => number;
}

/** Serves `/v1` on whatever front is put before it. */
export class RequestHandler implements FrontHandler {
  constructor(private readonly deps: RequestHandlerDeps) {}

  open(exchange: FrontExchange): void {
    new Handling(this.deps, exchange).run();
  }

  /** No protocol but HTTP is spoken here yet. */
  upgrade(exchange: UpgradeExchange): void {
    const error = new AppError('invalid_request', 'This endpoint does not speak WebSocket.');
    exchange.refuse(error.status, this.standalone(), openAiError(error));
  }

  malformed(status: 400 | 408 | 431): { readonly headers: readonly string[]; readonly body: string } {
    return { headers: this.standalone(), body: openAiError(MALFORMED[status]()) };
  }

  private standalone(): readonly string[] {
    return [HEADERS.requestId, newRequestId(this.deps.now()), 'content-type', 'application/json'];
  }
}

const MALFORMED = {
  400: () => new AppError('invalid_request', 'The request is not valid HTTP/1.1.'),
  408: () => new AppError('request_timeout', 'The request did not arrive in time.'),
  431: () => new AppError('headers_too_large', 'The request headers are larger than this router takes.'),
};
