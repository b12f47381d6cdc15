import type { AppError } from '@penstock/protocol';
import type { OutgoingRequest } from '../../../passthrough/index.js';
import { openAiError } from '../../../proxy/index.js';
import { isModelApi, wireErrorBody } from '../../../wildcard/index.js';
import type { InferenceBody } from '../../domain/inference-body.js';
import { pathOf } from '../../domain/route-table.js';
import type { FrontExchange } from '../../front.port.js';
import { Handling } from '../../handling.js';
import { errorHeaders } from '../../domain/error-headers.js';
import type { CircuitDeps } from './circuit-deps.js';
import { circuitRequest } from './circuit-request.js';

/** Characters of a model's name that are kept. */
const MODEL_CHARACTERS_MAX = 128;

/** What requests by host have in common: two forms of errors, and CORS on every answer. */
export abstract class HostHandling extends Handling<CircuitDeps> {
  protected readonly isModelApi: boolean;
  readonly corsHeaders: readonly string[];
  host: string | undefined = undefined;

  constructor(deps: CircuitDeps, client: FrontExchange) {
    super(deps, client, deps.frontend.mode);
    this.isModelApi = isModelApi(pathOf(client.target));
    this.corsHeaders = deps.cors.openHeaders(client.header('origin'));
  }

  /** What the caller wrote, for the log: its length is the caller's too. */
  protected noteModel(model: string | null): void {
    this.record.model = model === null ? null : model.slice(0, MODEL_CHARACTERS_MAX);
  }

  /** Hands an inference call over to the walk over replicas. */
  protected relay(body: InferenceBody): void {
    const { path, host, headers } = this.outgoing();
    this.path = path;
    this.host = host;
    this.headers = headers;
    this.ownHeaders.push(...this.corsHeaders);
    this.forward(body);
  }

  /** The call as a replica gets it. */
  protected outgoing(): OutgoingRequest {
    const { client, deps, record } = this;
    return circuitRequest(client, deps.passthrough, record.id);
  }

  protected override errorHeaders(error: AppError): readonly string[] {
    return [...this.corsHeaders, ...hostErrorHeaders(error, this.isModelApi)];
  }

  protected override errorBody(error: AppError): string {
    return hostErrorBody(error, this.isModelApi);
  }
}

/** Clients of the model API read one form of errors, all others the one of AppProxy workers. */
export function hostErrorBody(error: AppError, isModelApiPath: boolean): string {
  return isModelApiPath ? openAiError(error) : wireErrorBody(error);
}

export function hostErrorHeaders(error: AppError, isModelApiPath: boolean): readonly string[] {
  const headers = errorHeaders(error);
  return isModelApiPath ? headers : headers.with(1, 'application/json; charset=utf-8');
}
