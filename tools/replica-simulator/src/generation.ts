import { hexOf, seedOf } from './seeded-random.js';
import { countTokens, seededTokens } from './seeded-text.js';
import type { ChatRequest, CompletionRequest } from './wire-requests.js';

/** One finished answer, before it is cut into a body or into events. */
export interface Generation {
  readonly kind: 'chat' | 'completion';
  readonly id: string;
  /** UNIX seconds. */
  readonly created: number;
  readonly model: string;
  readonly promptTokens: number;
  readonly tokens: readonly string[];
  readonly finishReason: 'stop' | 'length';
}

/** `sequence` and `nowMs` are null where equal requests must give equal bytes. */
export interface GenerationContext {
  readonly seed: number;
  readonly model: string;
  readonly tokens: number;
  readonly sequence: number | null;
  readonly nowMs: number | null;
}

/** `created` of deterministic answers: any fixed second does. */
const FIXED_CREATED = 1_750_000_000;

export function generateChat(request: ChatRequest, context: GenerationContext): Generation {
  const prompt = JSON.stringify(request.messages);
  return generate('chat', prompt, request.max_completion_tokens ?? request.max_tokens, context);
}

export function generateCompletion(request: CompletionRequest, context: GenerationContext): Generation {
  return generate('completion', JSON.stringify(request.prompt), request.max_tokens, context);
}

function generate(
  kind: Generation['kind'],
  prompt: string,
  limit: number | null | undefined,
  context: GenerationContext,
): Generation {
  const count = Math.min(context.tokens, limit ?? context.tokens);
  const id = hexOf(context.seed, prompt, context.sequence ?? 'fixed');
  return {
    kind,
    id: `${kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${id}`,
    created: context.nowMs === null ? FIXED_CREATED : Math.floor(context.nowMs / 1_000),
    model: context.model,
    promptTokens: countTokens(prompt),
    tokens: seededTokens(seedOf(context.seed, prompt), count),
    finishReason: count < context.tokens ? 'length' : 'stop',
  };
}
