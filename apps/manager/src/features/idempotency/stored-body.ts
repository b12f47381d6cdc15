/** Members that hold a plaintext and exist only in the one answer that issued it. */
const SHOWN_ONCE: ReadonlySet<string> = new Set(['key', 'token']);

/**
 * The form in which an answer is kept: a replay has `null` where the secret was, because nobody keeps it.
 * Goes through JSON, so that dates are stored as they were sent.
 */
export function withoutSecrets(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const copy = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
  for (const name of Object.keys(copy)) if (SHOWN_ONCE.has(name)) copy[name] = null;
  return copy;
}
