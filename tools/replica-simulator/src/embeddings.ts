import type { GenerationContext } from './generation.js';
import { hexOf, seedOf } from './seeded-random.js';
import { countTokens, seededVector } from './seeded-text.js';
import type { EmbeddingRequest } from './wire-requests.js';

const DEFAULT_DIMENSIONS = 64;

/** The answer of `/v1/embeddings`; `base64` is little-endian float32, which the OpenAI SDK asks for by itself. */
export function embeddingBody(request: EmbeddingRequest, context: GenerationContext): object {
  const inputs = listInputs(request.input);
  const promptTokens = inputs.reduce((sum, input) => sum + countTokens(input), 0);
  return {
    id: `embd-${hexOf(context.seed, ...inputs, context.sequence ?? 'fixed')}`,
    object: 'list',
    created: Math.floor((context.nowMs ?? 1_750_000_000_000) / 1_000),
    model: context.model,
    data: inputs.map((input, index) => ({
      index,
      object: 'embedding',
      embedding: encode(input, request, context),
    })),
    usage: {
      prompt_tokens: promptTokens,
      total_tokens: promptTokens,
      completion_tokens: 0,
      prompt_tokens_details: null,
    },
  };
}

/** One text or one list of token ids is one input; a list of either is several. */
function listInputs(input: EmbeddingRequest['input']): string[] {
  if (typeof input === 'string') return [input];
  return input.every((item) => typeof item === 'number')
    ? [JSON.stringify(input)]
    : input.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
}

function encode(input: string, request: EmbeddingRequest, context: GenerationContext): number[] | string {
  const vector = seededVector(seedOf(context.seed, input), request.dimensions ?? DEFAULT_DIMENSIONS);
  if (request.encoding_format !== 'base64') return vector;
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes.toString('base64');
}
