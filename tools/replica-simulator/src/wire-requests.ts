import { z } from 'zod';

const tokenLimit = z.int().min(1).nullish();
const streamOptions = z
  .looseObject({ include_usage: z.boolean().nullish(), continuous_usage_stats: z.boolean().nullish() })
  .nullish();

const generationFields = {
  model: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: streamOptions,
  max_tokens: tokenLimit,
};

/** Only what shapes the answer is read; everything else a client sends is ignored, as vLLM does. */
export const chatRequestSchema = z.looseObject({
  ...generationFields,
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  max_completion_tokens: tokenLimit,
});

export const completionRequestSchema = z.looseObject({
  ...generationFields,
  prompt: z.union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))]),
});

const embeddingInput = z.union([z.string(), z.array(z.int()).min(1), z.array(z.string()).min(1)]);

export const embeddingRequestSchema = z.looseObject({
  model: z.string().nullish(),
  input: z.union([embeddingInput, z.array(z.array(z.int())).min(1)]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(8_192).nullish(),
});

export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type CompletionRequest = z.infer<typeof completionRequestSchema>;
export type EmbeddingRequest = z.infer<typeof embeddingRequestSchema>;
export type StreamOptions = ChatRequest['stream_options'];

/** What chat and completion requests have in common. */
export type GenerationRequest = Pick<ChatRequest, 'model' | 'stream' | 'stream_options'>;
