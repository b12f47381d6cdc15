import { describe, expect, it } from '@jest/globals';

import { DONE_EVENT, generationEvents } from './generation-events.js';
import { generateChat, generateCompletion, type GenerationContext } from './generation.js';

const context: GenerationContext = { seed: 7, model: 'm', tokens: 3, sequence: null, nowMs: null };
const chat = generateChat({ messages: [{ role: 'user', content: 'hi' }] }, context);

interface Chunk {
  choices: { delta?: { content?: string; role?: string }; text?: string; finish_reason: string | null }[];
  usage?: { completion_tokens: number; total_tokens: number; prompt_tokens: number } | null;
}

function chunksOf(events: readonly string[]): Chunk[] {
  expect(events.at(-1)).toBe(DONE_EVENT);
  return events.slice(0, -1).map((event) => {
    expect(event).toMatch(/^data: \{.*\}\n\n$/s);
    return JSON.parse(event.slice('data: '.length)) as Chunk;
  });
}

describe('generationEvents', () => {
  it('opens with a role, spells the whole answer and closes with a finish reason', () => {
    const chunks = chunksOf(generationEvents(chat, null));
    expect(chunks[0]?.choices[0]?.delta?.role).toBe('assistant');
    expect(chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join('')).toBe(chat.tokens.join(''));
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true);
  });

  it('adds null usage to every chunk and one last chunk without choices for include_usage', () => {
    const chunks = chunksOf(generationEvents(chat, { include_usage: true }));
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
  });

  it('counts up on every chunk for continuous_usage_stats', () => {
    const chunks = chunksOf(generationEvents(chat, { include_usage: true, continuous_usage_stats: true }));
    expect(chunks.map((chunk) => chunk.usage?.completion_tokens)).toEqual([0, 1, 2, 3, 3, 3]);
  });

  it('streams completions as text and ends on the last token', () => {
    const completion = generateCompletion({ prompt: 'once', max_tokens: 2 }, context);
    const chunks = chunksOf(generationEvents(completion, null));
    expect(chunks.map((chunk) => chunk.choices[0]?.text).join('')).toBe(completion.tokens.join(''));
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([null, 'length']);
  });
});

describe('generateChat', () => {
  it('gives equal bytes for equal requests when it is deterministic, and new ids when it is not', () => {
    const request = { messages: [{ role: 'user', content: 'hi' }] };
    expect(generateChat(request, context)).toEqual(chat);
    const first = generateChat(request, { ...context, sequence: 1, nowMs: 5_000 });
    expect(first.tokens).toEqual(chat.tokens);
    expect(first.created).toBe(5);
    expect(first.id).not.toBe(chat.id);
  });

  it('gives another text for another seed', () => {
    const other = generateChat({ messages: [{ role: 'user', content: 'hi' }] }, { ...context, seed: 8 });
    expect(other.tokens).not.toEqual(chat.tokens);
  });
});
