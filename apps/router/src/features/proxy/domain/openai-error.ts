import type { AppError } from '@penstock/protocol';

/** The body OpenAI clients read an error from. */
export function openAiError(error: AppError): string {
  const { publicMessage: message, code, param, entry } = error;
  return JSON.stringify({ error: { message, type: entry.type ?? 'server_error', param, code } });
}

/** The same as the last event of a stream that has already begun. No `[DONE]` follows it. */
export function openAiErrorEvent(error: AppError): Buffer {
  return Buffer.from(`data: ${openAiError(error)}\n\n`);
}
