import { createHash } from 'node:crypto';

/** The state every proxy is given: as many keys and names as a busy site has, and one fast replica behind them. */
export const KEY_COUNT = 1_000;
export const PUBLICATION_COUNT = 100;
/** The name the replica itself expects; Penstock has to splice it in, as in production. */
export const SERVED_MODEL = 'bench-served-model';
/** Requests rotate over this many keys and names, so that no proxy lives off one cached entry. */
const VARIANTS = 32;

export interface BenchKey {
  readonly plaintext: string;
  readonly hash: string;
  readonly models: readonly string[];
}

export const modelName = (index: number): string => `bench/model-${String(index).padStart(3, '0')}`;

/** Deterministic keys, each with ten grants. They open nothing but this benchmark. */
export function benchKeys(): BenchKey[] {
  return Array.from({ length: KEY_COUNT }, (_, index) => {
    const plaintext = `sk-bench-${createHash('sha256').update(`key ${index}`).digest('base64url')}`;
    const models = Array.from({ length: 10 }, (_unused, offset) =>
      modelName((index + offset) % PUBLICATION_COUNT),
    );
    return { plaintext, hash: createHash('sha256').update(plaintext).digest('hex'), models };
  });
}

export interface BenchRequest {
  readonly authorization: string;
  readonly body: string;
}

/** Chat requests of exactly `bodyBytes` bytes, each with a key and a name that key may call. */
export function benchRequests(keys: readonly BenchKey[], bodyBytes: number): BenchRequest[] {
  return Array.from({ length: VARIANTS }, (_, variant) => {
    const key = keys[(variant * 31) % keys.length];
    if (key === undefined) throw new Error('no keys to make requests with');
    return {
      authorization: `Bearer ${key.plaintext}`,
      body: chatBody(key.models[variant % key.models.length] ?? '', bodyBytes),
    };
  });
}

const PROSE = 'The gate opens slowly, \\"and the water\\" falls\\nthrough the pipe to the turbine below. ';

function chatBody(model: string, bodyBytes: number): string {
  const before = `{"model":"${model}","temperature":0.2,"max_tokens":64,"messages":[{"role":"user","content":"`;
  const after = '"}]}';
  const room = bodyBytes - before.length - after.length;
  const text = PROSE.repeat(Math.ceil(room / PROSE.length)).slice(0, room);
  return before + text.replace(/\\$/, '.') + after;
}

/** The one answer of the mock: 279 bytes, with the usage a real server reports. */
export const MOCK_ANSWER = answerOf279Bytes();

function answerOf279Bytes(): string {
  const before =
    '{"id":"chatcmpl-bench","object":"chat.completion","created":1750000000,' +
    `"model":"${SERVED_MODEL}","choices":[{"index":0,"message":{"role":"assistant","content":"`;
  const after =
    '"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"total_tokens":18,"completion_tokens":9}}';
  return before + 'w'.repeat(279 - before.length - after.length) + after;
}
