import type { IncomingHttpHeaders } from 'node:http';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { BodyRefusedError } from '../errors/failure.js';
import type { ErrorStyle } from './http-service-options.js';
import { type ParsedBody, parseJsonBody } from './parse-json-body.js';

const TOO_LARGE = 413;

type Done = (error: Error | null, body?: unknown) => void;

/** One parser for every content type: what an API makes of a body is decided here, not by a list of types. */
export function installBodyParser(instance: FastifyInstance, style: ErrorStyle, bodyLimit: number): void {
  instance.removeAllContentTypeParsers();
  instance.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.statusCode === TOO_LARGE) keepReading(reply);
    done(null, payload);
  });
  instance.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit },
    (request: FastifyRequest, body: Buffer, done: Done) => {
      const parsed = request.is404 ? NO_BODY : parseBody(body, request.headers, style);
      if ('failure' in parsed) done(new BodyRefusedError(parsed.failure));
      else done(null, parsed.body);
    },
  );
}

/**
 * Fastify closes the connection of a body that is too large. Closing on bytes nobody read resets the connection, and
 * the answer is lost to whoever is still sending. Left open, the rest is read and dropped until the request's timeout.
 */
function keepReading(reply: FastifyReply): void {
  reply.removeHeader('connection');
}

const NO_BODY = { body: undefined };

/** An empty body is no body, whatever type it is announced as: heartbeats come as empty `application/octet-stream`. */
function parseBody(bytes: Buffer, headers: IncomingHttpHeaders, style: ErrorStyle): ParsedBody {
  if (bytes.length === 0) return NO_BODY;
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return unsupported('Send the body uncompressed.');
  if (style === 'problem' && !isJsonType(headers['content-type'])) {
    return unsupported('Send JSON, with Content-Type: application/json.');
  }
  const parsed = parseJsonBody(bytes);
  if (style === 'appproxy' && 'body' in parsed && !isObject(parsed.body)) {
    return { failure: { kind: 'malformed-body', message: 'The body must be a JSON object.' } };
  }
  return parsed;
}

function unsupported(message: string): ParsedBody {
  return { failure: { kind: 'unsupported-media-type', message } };
}

function isJsonType(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType.trim());
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
