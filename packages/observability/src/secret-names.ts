/** Names whose values never reach a log, in snake_case; other spellings are brought to it first. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'proxy_authorization',
  'cookie',
  'set_cookie',
  'api_key',
  'x_api_key',
  'x_backendai_token',
  'key',
  'key_hash',
  'plaintext',
  'token',
  'token_hash',
  'secret',
  'password',
  'passwd',
  'database_url',
  'redis_url',
]);

const SECRET_ENDING = /_(secret|token|password|passwd|api_key)$/;

/** Names come from code, so there are few; the bound guards against logged maps with arbitrary keys. */
const CACHE_ENTRIES_MAX = 2_000;
const cache = new Map<string, boolean>();

/** True when a value under this name must be masked: `token`, `x-api-key`, `apiSecret`, `database_url`, … */
export function isSecretName(name: string): boolean {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  const secret = SECRET_NAMES.has(snake) || SECRET_ENDING.test(snake);
  if (cache.size < CACHE_ENTRIES_MAX) cache.set(name, secret);
  return secret;
}
