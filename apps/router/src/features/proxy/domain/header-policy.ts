import { HEADERS } from '@penstock/protocol';

/**
 * What never crosses the router, by direction. Everything else passes with its casing and its repetitions, because
 * clients and replicas may know headers that we do not.
 */
export const HOP_BY_HOP: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'trailers',
  'transfer-encoding',
  'upgrade',
];

const REQUEST_DROPPED = [
  ...HOP_BY_HOP,
  // The request is rebuilt: its framing comes from the bytes held, its host from the replica.
  'host',
  'content-length',
  'expect',
  // Credentials end here.
  HEADERS.authorization,
  HEADERS.apiKey,
  HEADERS.backendaiToken,
  'cookie',
  // Streams are read and sometimes spliced, so they must not be compressed.
  'accept-encoding',
  // Where a client says it comes from is not evidence for a replica.
  'forwarded',
  'x-real-ip',
  HEADERS.requestId,
];

const REQUEST_DROPPED_PREFIXES = ['x-forwarded-', 'x-penstock-', 'sec-fetch-', 'access-control-'];

const ANSWER_DROPPED = [
  ...HOP_BY_HOP,
  'content-length',
  'alt-svc',
  // Ours is set instead.
  HEADERS.requestId,
];

const ANSWER_DROPPED_PREFIXES = ['access-control-', 'x-penstock-'];

/** Names in use are few; the bound guards against callers that make them up, and forgetting keeps room for the real ones. */
const VERDICTS_MAX = 1_000;

/**
 * What a request needs to mean the same, and what proxies before us say of its way: no client can have us drop it by
 * naming it in `Connection`.
 */
const NEVER_NAMED = [
  'content-type',
  'content-encoding',
  HEADERS.authorization,
  'cookie',
  'forwarded',
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
];

/** Says of a header name, in any casing, whether it stops here. Remembers, because the same names come every time. */
export class DropList {
  private readonly names: ReadonlySet<string>;
  private readonly verdicts = new Map<string, boolean>();

  constructor(
    names: readonly string[],
    private readonly prefixes: readonly string[],
  ) {
    this.names = new Set(names);
  }

  drops(name: string): boolean {
    const known = this.verdicts.get(name);
    if (known !== undefined) return known;
    const lower = name.toLowerCase();
    const verdict = this.names.has(lower) || this.prefixes.some((prefix) => lower.startsWith(prefix));
    if (this.verdicts.size >= VERDICTS_MAX) this.verdicts.clear();
    this.verdicts.set(name, verdict);
    return verdict;
  }
}

const REQUEST_DROPS = new DropList(REQUEST_DROPPED, REQUEST_DROPPED_PREFIXES);
const ANSWER_DROPS = new DropList(ANSWER_DROPPED, ANSWER_DROPPED_PREFIXES);

/** Headers for a replica, flat as `[name, value, ...]`. Headers that `Connection` names are hop-by-hop as well. */
export function requestHeaders(raw: readonly string[], requestId: string): string[] {
  const headers = keptHeaders(raw, REQUEST_DROPS);
  headers.push('accept-encoding', 'identity', HEADERS.requestId, requestId);
  return headers;
}

/** End-to-end headers of a replica's answer, flat. Its length is left out and set again where it still holds. */
export function answerHeaders(raw: readonly string[]): string[] {
  return keptHeaders(raw, ANSWER_DROPS);
}

/** What a list lets pass of end-to-end headers, flat. */
export function keptHeaders(raw: readonly string[], list: DropList): string[] {
  const named = connectionOptions(raw);
  const kept: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] as string;
    if (list.drops(name) || named?.has(name.toLowerCase()) === true) continue;
    kept.push(name, raw[index + 1] as string);
  }
  return kept;
}

/** Null for the usual `keep-alive` and `close`, so that the common request allocates no set. */
function connectionOptions(raw: readonly string[]): ReadonlySet<string> | null {
  let options: Set<string> | null = null;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] as string;
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    const value = (raw[index + 1] as string).toLowerCase();
    if (value === 'keep-alive' || value === 'close') continue;
    options ??= new Set();
    for (const option of value.split(',')) options.add(option.trim());
    for (const name of NEVER_NAMED) options.delete(name);
  }
  return options;
}

/** First value of a header in a flat list. */
export function headerValue(raw: readonly string[], name: string): string | undefined {
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const candidate = raw[index] as string;
    if (candidate.length === name.length && candidate.toLowerCase() === name) return raw[index + 1];
  }
  return undefined;
}
