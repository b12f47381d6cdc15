import type { z } from 'zod';

import { answerWithFault } from './answer-with-fault.js';
import type { Answer } from './answer.js';
import { embeddingBody } from './embeddings.js';
import type { Exchange } from './exchange.js';
import { generationBody } from './generation-body.js';
import { generationEvents } from './generation-events.js';
import { generateChat, generateCompletion, type Generation, type GenerationContext } from './generation.js';
import type { ReplicaState } from './replica-state.js';
import { errorBody } from './wire-errors.js';
import {
  chatRequestSchema,
  completionRequestSchema,
  embeddingRequestSchema,
  type GenerationRequest,
} from './wire-requests.js';

/** Answers one parsed JSON body of one inference route. */
export type InferenceRoute = (exchange: Exchange, body: unknown) => void;

/** The three inference routes of one replica. */
export class Inference {
  readonly #state: ReplicaState;
  readonly routes: ReadonlyMap<string, InferenceRoute>;

  constructor(state: ReplicaState) {
    this.#state = state;
    this.routes = new Map<string, InferenceRoute>([
      ['/v1/chat/completions', this.#route(chatRequestSchema, (request) => this.#chat(request))],
      ['/v1/completions', this.#route(completionRequestSchema, (request) => this.#completion(request))],
      ['/v1/embeddings', this.#route(embeddingRequestSchema, (request) => this.#embedding(request))],
    ]);
  }

  #chat(request: z.infer<typeof chatRequestSchema>): Answer {
    return this.#generated(generateChat(request, this.#context()), request);
  }

  #completion(request: z.infer<typeof completionRequestSchema>): Answer {
    return this.#generated(generateCompletion(request, this.#context()), request);
  }

  #embedding(request: z.infer<typeof embeddingRequestSchema>): Answer {
    return { kind: 'body', body: JSON.stringify(embeddingBody(request, this.#context())), tokens: 0 };
  }

  #generated(generation: Generation, request: GenerationRequest): Answer {
    const { stats } = this.#state;
    stats.promptTokens += generation.promptTokens;
    stats.generationTokens += generation.tokens.length;
    stats.countFinish(generation.finishReason);
    if (request.stream === true)
      return { kind: 'events', events: generationEvents(generation, request.stream_options) };
    const body = JSON.stringify(generationBody(generation));
    return { kind: 'body', body, tokens: generation.tokens.length };
  }

  /** Parses, refuses a model that is not served here, then answers when the engine has room. */
  #route<T extends RoutedRequest>(schema: z.ZodType<T>, answer: (request: T) => Answer): InferenceRoute {
    return (exchange, body) => {
      const parsed = schema.safeParse(body);
      if (!parsed.success) return exchange.json(400, invalidRequest(parsed.error));
      const model = parsed.data.model ?? null;
      exchange.entry.model = model;
      exchange.entry.stream = parsed.data.stream === true;
      if (model !== null && model !== this.#state.model)
        return exchange.json(404, errorBody(404, `The model \`${model}\` does not exist.`, 'model'));
      this.#run(exchange, () => answer(parsed.data));
    };
  }

  #run(exchange: Exchange, answer: () => Answer): void {
    const { slots, faults } = this.#state;
    const start = (): void => {
      exchange.onEnd(() => slots.leave());
      answerWithFault(exchange, answer(), this.#state.behaviour, faults.take());
    };
    slots.enter(start, () => exchange.closed);
  }

  #context(): GenerationContext {
    const { seed, model, behaviour, now, stats } = this.#state;
    const fixed = behaviour.deterministic;
    return {
      seed,
      model,
      tokens: behaviour.tokens,
      sequence: fixed ? null : stats.requests,
      nowMs: fixed ? null : now(),
    };
  }
}

interface RoutedRequest {
  readonly model?: string | null | undefined;
  readonly stream?: unknown;
}

function invalidRequest(error: z.ZodError): object {
  const issue = error.issues[0];
  const param = issue?.path.join('.') ?? '';
  return errorBody(400, `${issue?.message ?? 'Invalid request'} (at ${param || 'the body'})`, param || null);
}
