import type { FastifyInstance, FastifyRequest } from 'fastify';

import { BodyRefusedError, type Failure } from '../errors/failure.js';
import type { ErrorStyle } from './http-service-options.js';

type Done = (error: Error | null, body?: unknown) => void;

/** One parser for every content type: what an API makes of a body is decided here, not by a list of types. */
export function installBodyParser(instance: FastifyInstance, style: ErrorStyle, bodyLimit: number): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit },
    (request: FastifyRequest, body: Buffer, done: Done) => {
      const parsed = request.is404
        ? { body: undefined }
        : parseBody(body, request.headers['content-type'], style);
      if ('failure' in parsed) done(new BodyRefusedError(parsed.failure));
      else done(null, parsed.body);
    },
  );
}

type ParsedBody = { readonly body: unknown } | { readonly failure: Failure };

/** An empty body is no body, whatever type it is announced as: heartbeats come as empty `application/octet-stream`. */
export function parseBody(bytes: Buffer, contentType: string | undefined, style: ErrorStyle): ParsedBody {
  if (bytes.length === 0) return { body: undefined };
  if (style === 'problem' && !isJsonType(contentType)) {
    return {
      failure: { kind: 'unsupported-media-type', message: 'Send JSON, with Content-Type: application/json.' },
    };
  }
  const parsed = parseJson(bytes);
  if (style === 'appproxy' && 'body' in parsed && !isObject(parsed.body)) {
    return { failure: { kind: 'malformed-body', message: 'The body must be a JSON object.' } };
  }
  return parsed;
}

function isJsonType(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType.trim());
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): ParsedBody {
  try {
    const text = utf8.decode(bytes);
    return { body: mayPoison(text) ? JSON.parse(text, withoutPrototype) : JSON.parse(text) };
  } catch (error) {
    return { failure: { kind: 'malformed-body', message: `The body is not valid JSON${position(error)}.` } };
  }
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

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
