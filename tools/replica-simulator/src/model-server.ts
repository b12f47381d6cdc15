import type { IncomingMessage, ServerResponse } from 'node:http';

import { Exchange } from './exchange.js';
import { Inference, type InferenceRoute } from './inference.js';
import { parseJson, readBody } from './read-body.js';
import type { ReplicaState } from './replica-state.js';
import { noteBody } from './request-log.js';
import { vllmMetrics } from './vllm-metrics.js';
import { errorBody } from './wire-errors.js';

const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** The public side of one replica: the routes of an OpenAI-compatible vLLM server. */
export class ModelServer {
  readonly #state: ReplicaState;
  readonly #inference: Inference;
  readonly #reads: ReadonlyMap<string, (exchange: Exchange) => void>;

  constructor(state: ReplicaState) {
    this.#state = state;
    this.#inference = new Inference(state);
    this.#reads = new Map<string, (exchange: Exchange) => void>([
      ['/health', (exchange) => exchange.send(200, 'text/plain', '')],
      ['/version', (exchange) => exchange.json(200, { version: '0.11.0' })],
      ['/v1/models', (exchange) => exchange.json(200, modelList(state))],
      ['/metrics', (exchange) => exchange.send(200, 'text/plain; version=0.0.4', metricsOf(state))],
    ]);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#open(request, response);
    readBody(request, MAX_BODY_BYTES, (body) => {
      if (body === null) return exchange.json(413, errorBody(413, 'The request body is too large.'));
      noteBody(exchange.entry, body);
      this.#dispatch(exchange, body);
    });
  }

  #open(request: IncomingMessage, response: ServerResponse): Exchange {
    const { log, stats, now } = this.#state;
    const entry = log.open(request, now());
    const exchange = new Exchange({ entry, response, now });
    stats.begin(entry);
    exchange.onEnd(() => stats.end(entry));
    return exchange;
  }

  #dispatch(exchange: Exchange, body: Buffer): void {
    const path = exchange.entry.path.split('?')[0] ?? '';
    const read = this.#reads.get(path);
    const infer = this.#inference.routes.get(path);
    if (infer !== undefined) return inferFrom(exchange, body, infer);
    if (read === undefined) return exchange.json(404, { detail: 'Not Found' });
    return exchange.entry.method === 'GET' ? read(exchange) : notAllowed(exchange, 'GET');
  }
}

function inferFrom(exchange: Exchange, body: Buffer, infer: InferenceRoute): void {
  if (exchange.entry.method !== 'POST') return notAllowed(exchange, 'POST');
  const json = parseJson(body);
  if (json === undefined) return exchange.json(400, errorBody(400, 'The request body is not valid JSON.'));
  infer(exchange, json);
}

function notAllowed(exchange: Exchange, allow: string): void {
  exchange.json(405, { detail: 'Method Not Allowed' }, { allow });
}

function metricsOf({ model, slots, stats, behaviour }: ReplicaState): string {
  const kvCacheUsage = behaviour.kvCacheUsage ?? Math.min(1, slots.running / slots.size);
  return vllmMetrics({ model, slots, stats, kvCacheUsage });
}

function modelList({ model, startedAtMs }: ReplicaState): object {
  const card = {
    id: model,
    object: 'model',
    created: Math.floor(startedAtMs / 1_000),
    owned_by: 'vllm',
    root: model,
    parent: null,
    max_model_len: 32_768,
    permission: [],
  };
  return { object: 'list', data: [card] };
}
