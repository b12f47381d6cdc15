import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { KnownRoutes } from './known-routes.js';
import { pathOf } from './path-of.js';

const EXPOSED_TO_ORIGIN = 'Date,Content-Length,Server';

/** Headers AppProxy's server sends: its name, and CORS that lets a browser read every answer. */
export function installAppproxyHeaders(instance: FastifyInstance, routes: KnownRoutes): void {
  instance.addHook('onRequest', (request, reply, done) => {
    reply.header('server', 'BackendAI');
    if (!isPreflight(request)) return done();
    answerPreflight(request, reply, routes, done);
  });
  instance.addHook('onSend', (request, reply, payload, done) => {
    addCors(request, reply);
    done(null, payload);
  });
}

function isPreflight(request: FastifyRequest): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers.origin !== undefined &&
    request.headers['access-control-request-method'] !== undefined
  );
}

function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  routes: KnownRoutes,
  done: () => void,
): void {
  const method = request.headers['access-control-request-method'] ?? '';
  if (!routes.methodsOf(pathOf(request)).includes(method)) return done();
  const requestHeaders = request.headers['access-control-request-headers'];
  if (requestHeaders !== undefined) reply.header('access-control-allow-headers', requestHeaders);
  void reply.header('access-control-allow-methods', method).code(200).send('');
}

/** Without an Origin only errors carry CORS headers, and those come with the error itself. */
function addCors(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers;
  if (origin !== undefined) {
    reply.header('access-control-allow-origin', origin).header('vary', 'Origin');
    if (request.method !== 'OPTIONS') reply.header('access-control-expose-headers', EXPOSED_TO_ORIGIN);
  }
}
