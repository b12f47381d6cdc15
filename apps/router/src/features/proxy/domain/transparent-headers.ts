import { HEADERS } from '@penstock/protocol';
import { DropList, HOP_BY_HOP, headerValue, keptHeaders } from './header-policy.js';

/**
 * Headers where the router stays out of the way: what the client sends, its credentials and its host included, reaches
 * the replica, and the other way round. Only what belongs to one connection, or is ours to say, is made anew.
 */
const REQUEST_DROPS = new DropList(
  [...HOP_BY_HOP, 'host', 'content-length', 'expect', HEADERS.requestId],
  ['x-penstock-'],
);

/** What a client says of where it comes from; only the operator's proxies are believed. */
const ORIGIN_DROPS = new DropList(
  [...HOP_BY_HOP, 'host', 'content-length', 'expect', HEADERS.requestId, 'forwarded', 'x-real-ip'],
  ['x-penstock-', 'x-forwarded-'],
);

/** Replaced by ours, which begin with what they said. */
const FORWARDED = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
]);

/** Which pages may read an answer is the operator's to say, as with peers; what they may send is the replica's too. */
const CORS_DROPPED = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
];

const ANSWER_DROPS = new DropList(
  [...HOP_BY_HOP, ...CORS_DROPPED, 'content-length', 'alt-svc', HEADERS.requestId],
  ['x-penstock-'],
);

/** Where a request came in. */
export interface Arrival {
  /** Address of the connection's other end. */
  readonly peer: string;
  /** Whether that is one of the operator's proxies. */
  readonly trusted: boolean;
  /** Value of `Host`. */
  readonly host: string;
  readonly requestId: string;
}

/** Headers for a replica, flat as `[name, value, ...]`, without host and framing. Nothing is added to what it negotiates. */
export function transparentRequestHeaders(raw: readonly string[], arrival: Arrival): string[] {
  const kept = keptHeaders(raw, arrival.trusted ? REQUEST_DROPS : ORIGIN_DROPS);
  const headers = arrival.trusted ? withoutForwarded(kept) : kept;
  headers.push(...forwardedHeaders(arrival.trusted ? kept : [], arrival));
  headers.push(HEADERS.requestId, arrival.requestId);
  return headers;
}

/**
 * Headers for the client, flat, without framing.
 * @param ours - in front of the replica's
 * @param cors - behind them, in place of what the replica says of the same
 */
export function transparentAnswerHeaders(
  raw: readonly string[],
  ours: readonly string[],
  cors: readonly string[],
): string[] {
  return [...ours, ...keptHeaders(raw, ANSWER_DROPS), ...cors];
}

/** The protocol an answer names. */
export function upgradeProtocol(raw: readonly string[]): string | undefined {
  return headerValue(raw, 'upgrade');
}

function forwardedHeaders(said: readonly string[], { peer, host }: Arrival): string[] {
  const proto = headerValue(said, 'x-forwarded-proto') ?? 'http';
  return [
    'x-forwarded-for',
    appended(said, 'x-forwarded-for', peer),
    'x-forwarded-proto',
    proto,
    'x-forwarded-host',
    headerValue(said, 'x-forwarded-host') ?? host,
    'x-forwarded-port',
    headerValue(said, 'x-forwarded-port') ?? portOf(host, proto),
    'forwarded',
    appended(said, 'forwarded', forwardedElement(peer, host)),
  ];
}

/** One element of RFC 7239: what this hop knows. The first hop is plain HTTP; a proxy before it has said what it had. */
function forwardedElement(peer: string, host: string): string {
  const node = peer.includes(':') ? `"[${peer}]"` : peer;
  return `for=${node};host=${token(host)};proto=http`;
}

function token(host: string): string {
  return /^[\w.-]+$/.test(host) ? host : `"${host.replace(/["\\]/g, '\\$&')}"`;
}

/** All that was said under a name, then ours. */
function appended(said: readonly string[], name: string, ours: string): string {
  const values: string[] = [];
  for (let index = 0; index + 1 < said.length; index += 2) {
    if ((said[index] as string).toLowerCase() === name) values.push(said[index + 1] as string);
  }
  return [...values, ours].join(', ');
}

function portOf(host: string, proto: string): string {
  return /:(\d{1,5})$/.exec(host)?.[1] ?? (proto.toLowerCase() === 'https' ? '443' : '80');
}

function withoutForwarded(headers: readonly string[]): string[] {
  const others: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!FORWARDED.has(name.toLowerCase())) others.push(name, headers[index + 1] as string);
  }
  return others;
}
