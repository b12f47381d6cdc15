import type { Failure } from '../errors/failure.js';
import { nestsDeeperThan } from './json-depth.js';

export type ParsedBody = { readonly body: unknown } | { readonly failure: Failure };

/** Far more than any document of ours, far less than what overflows a stack. */
const DEPTH_MAX = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON that may come from anyone: UTF-8 only, bounded in depth, without keys that reach prototypes. */
export function parseJsonBody(bytes: Buffer): ParsedBody {
  if (nestsDeeperThan(bytes, DEPTH_MAX)) return malformed(`nests deeper than ${DEPTH_MAX} levels`);
  try {
    const text = utf8.decode(bytes);
    return { body: mayPoison(text) ? JSON.parse(text, withoutPrototype) : JSON.parse(text) };
  } catch (error) {
    return malformed(`is not valid JSON${position(error)}`);
  }
}

function malformed(why: string): ParsedBody {
  return { failure: { kind: 'malformed-body', message: `The body ${why}.` } };
}

/** The name may be spelt with escapes, so any escape counts. */
function mayPoison(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u');
}

function withoutPrototype(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/** The engine's message repeats the text around the mistake, which may hold a secret: only the place is passed on. */
function position(error: unknown): string {
  const place =
    error instanceof Error ? /at position \d+|end of JSON input/.exec(error.message)?.[0] : undefined;
  if (place === undefined) return '';
  return place.startsWith('at') ? ` ${place}` : ': it ends too early';
}
