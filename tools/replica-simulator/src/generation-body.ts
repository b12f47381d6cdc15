import type { Generation } from './generation.js';

export interface Usage {
  readonly prompt_tokens: number;
  readonly total_tokens: number;
  readonly completion_tokens: number;
}

export function usageOf(generation: Generation, completionTokens = generation.tokens.length): Usage {
  return {
    prompt_tokens: generation.promptTokens,
    total_tokens: generation.promptTokens + completionTokens,
    completion_tokens: completionTokens,
  };
}

/** The answer to a call without `stream`, with the keys vLLM sends in the order it sends them. */
export function generationBody(generation: Generation): object {
  return {
    id: generation.id,
    object: generation.kind === 'chat' ? 'chat.completion' : 'text_completion',
    created: generation.created,
    model: generation.model,
    choices: [generation.kind === 'chat' ? chatChoice(generation) : completionChoice(generation)],
    service_tier: null,
    system_fingerprint: null,
    usage: { ...usageOf(generation), prompt_tokens_details: null },
    kv_transfer_params: null,
  };
}

function chatChoice(generation: Generation): object {
  return {
    index: 0,
    message: {
      role: 'assistant',
      content: generation.tokens.join(''),
      refusal: null,
      annotations: null,
      audio: null,
      function_call: null,
      tool_calls: [],
      reasoning_content: null,
    },
    logprobs: null,
    finish_reason: generation.finishReason,
    stop_reason: null,
  };
}

function completionChoice(generation: Generation): object {
  return {
    index: 0,
    text: generation.tokens.join(''),
    logprobs: null,
    finish_reason: generation.finishReason,
    stop_reason: null,
    prompt_logprobs: null,
  };
}
