import { usageOf } from './generation-body.js';
import type { Generation } from './generation.js';
import type { StreamOptions } from './wire-requests.js';

export const DONE_EVENT = 'data: [DONE]\n\n';

/**
 * The events of a streamed answer, `[DONE]` included, as they go over the wire.
 * `include_usage` puts `"usage":null` on every chunk and adds a last one with empty choices;
 * `continuous_usage_stats` fills every chunk instead.
 */
export function generationEvents(generation: Generation, options: StreamOptions): string[] {
  const events = choicesOf(generation).map(({ choice, tokensSoFar }) =>
    event(generation, [choice], runningUsage(generation, options, tokensSoFar)),
  );
  if (options?.include_usage === true) events.push(event(generation, [], { usage: usageOf(generation) }));
  return [...events, DONE_EVENT];
}

interface TimedChoice {
  readonly choice: object;
  readonly tokensSoFar: number;
}

function choicesOf(generation: Generation): TimedChoice[] {
  return generation.kind === 'chat' ? chatChoices(generation) : completionChoices(generation);
}

function chatChoices(generation: Generation): TimedChoice[] {
  const chunk = (delta: object, tokensSoFar: number, finish: string | null = null): TimedChoice => ({
    choice: { index: 0, delta, logprobs: null, finish_reason: finish, ...(finish && { stop_reason: null }) },
    tokensSoFar,
  });
  return [
    chunk({ role: 'assistant', content: '' }, 0),
    ...generation.tokens.map((content, index) => chunk({ content }, index + 1)),
    chunk({ content: '' }, generation.tokens.length, generation.finishReason),
  ];
}

function completionChoices(generation: Generation): TimedChoice[] {
  const last = generation.tokens.length - 1;
  return generation.tokens.map((text, index) => ({
    choice: {
      index: 0,
      text,
      logprobs: null,
      finish_reason: index === last ? generation.finishReason : null,
      stop_reason: null,
    },
    tokensSoFar: index + 1,
  }));
}

function runningUsage(generation: Generation, options: StreamOptions, tokensSoFar: number): object {
  if (options?.include_usage !== true) return {};
  return { usage: options.continuous_usage_stats === true ? usageOf(generation, tokensSoFar) : null };
}

function event(generation: Generation, choices: readonly object[], usage: object): string {
  const chunk = {
    id: generation.id,
    object: generation.kind === 'chat' ? 'chat.completion.chunk' : 'text_completion',
    created: generation.created,
    model: generation.model,
    choices,
    ...usage,
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
