/** Tokens a replica says one request took. Null where it did not say. */
export interface TokenUsage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly totalTokens: number | null;
}

/** Where usage is looked for in a long answer: it comes last in every server's answers that were seen. */
const TAIL_BYTES_MAX = 64 * 1024;
const USAGE_TOKEN = Buffer.from('"usage"');
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Reads the JSON text of a `usage` object; null when it is none. */
export function readUsage(json: Buffer): TokenUsage | null {
  const value = parse(json.toString('utf8'));
  if (typeof value !== 'object' || value === null) return null;
  const usage = value as Record<string, unknown>;
  return {
    promptTokens: count(usage['prompt_tokens']),
    completionTokens: count(usage['completion_tokens']),
    totalTokens: count(usage['total_tokens']),
  };
}

/**
 * Finds the usage object at the end of an answer that was not streamed, without parsing the answer. The quotes of a
 * key are never escaped and those inside a string always are, so the text cannot be found inside one.
 */
export function findUsage(tail: Buffer): TokenUsage | null {
  let at = tail.lastIndexOf(USAGE_TOKEN);
  while (at !== -1) {
    const start = valueStart(tail, at + USAGE_TOKEN.length);
    if (tail[start] === OPEN_BRACE) {
      const end = closingBrace(tail, start);
      return end === -1 ? null : readUsage(tail.subarray(start, end + 1));
    }
    at = at === 0 ? -1 : tail.lastIndexOf(USAGE_TOKEN, at - 1);
  }
  return null;
}

/** Offset of the value behind a key, -1 when what ends before `at` is no key but a string like it. */
function valueStart(text: Buffer, at: number): number {
  const colon = skipSpace(text, at);
  return text[colon] === COLON ? skipSpace(text, colon + 1) : -1;
}

function skipSpace(text: Buffer, from: number): number {
  let at = from;
  while (text[at] === 0x20 || text[at] === 0x0a || text[at] === 0x0d || text[at] === 0x09) at += 1;
  return at;
}

/** The end of an answer, kept while it passes, for {@link findUsage}. Holds at most 128 KiB. */
export class AnswerTail {
  private chunks: Buffer[] = [];
  private bytes = 0;

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes <= 2 * TAIL_BYTES_MAX) return;
    const tail = Buffer.concat(this.chunks).subarray(-TAIL_BYTES_MAX);
    this.chunks = [Buffer.from(tail)];
    this.bytes = tail.length;
  }

  usage(): TokenUsage | null {
    const [first] = this.chunks;
    if (first === undefined) return null;
    return findUsage(this.chunks.length === 1 ? first : Buffer.concat(this.chunks));
  }
}

/** Usage objects hold numbers and objects of numbers, no strings with braces. */
function closingBrace(text: Buffer, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === OPEN_BRACE) depth += 1;
    else if (text[at] === CLOSE_BRACE && (depth -= 1) === 0) return at;
  }
  return -1;
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
