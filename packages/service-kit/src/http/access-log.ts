import { type Logger, type Metrics, wideEvent } from '@penstock/observability';
import { HEADERS } from '@penstock/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { pathOf } from './path-of.js';
import { failureCodeOf } from './request-outcome.js';

/** Callers choose these: long ones are cut before they reach a log. */
const TEXT_LENGTH_MAX = 200;

/** One wide event, one count and one duration per request. Routes appear as patterns, so that labels stay few. */
export function installAccessLog(instance: FastifyInstance, logger: Logger, metrics: Metrics): void {
  const requests = metrics.counter({
    name: 'penstock_http_requests_total',
    help: 'Requests answered, by route pattern and status.',
    labelNames: ['method', 'route', 'status'],
  });
  const duration = metrics.histogram({
    name: 'penstock_http_request_duration_seconds',
    help: 'Time from request head to the end of the response.',
    labelNames: ['method', 'route'],
  });
  instance.addHook('onRequest', (request, reply, done) => {
    reply.header(HEADERS.requestId, request.id);
    done();
  });
  instance.addHook('onResponse', (request, reply, done) => {
    const route = routeOf(request);
    const { method } = request;
    requests.inc({ method, route, status: String(reply.statusCode) });
    duration.observe({ method, route }, reply.elapsedTime / 1000);
    wideEvent(logger, 'http request', fieldsOf(request, reply, route), levelOf(reply.statusCode, request));
    done();
  });
}

function fieldsOf(request: FastifyRequest, reply: FastifyReply, route: string): Record<string, unknown> {
  return {
    request_id: request.id,
    client_request_id: clientRequestId(request),
    method: request.method,
    route,
    path: pathWithoutCredential(request, route).slice(0, TEXT_LENGTH_MAX),
    status: reply.statusCode,
    duration_ms: Math.round(reply.elapsedTime * 10) / 10,
    'error.code': failureCodeOf(request),
    client_address: request.ip,
  };
}

/** A route that declares a part of its path as `:token` takes a credential there. */
const TAKES_CREDENTIAL = /\/:token(?=\/|$)/;

function pathWithoutCredential(request: FastifyRequest, route: string): string {
  return TAKES_CREDENTIAL.test(route) ? route : pathOf(request);
}

function clientRequestId(request: FastifyRequest): string | undefined {
  const id = request.headers[HEADERS.requestId] ?? request.headers[HEADERS.backendaiRequestId];
  return typeof id === 'string' ? id.slice(0, TEXT_LENGTH_MAX) : undefined;
}

function routeOf(request: FastifyRequest): string {
  return request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
}

const PROBE = /^\/(healthz|readyz|health(\/.*)?|metrics)$/;

/** Probes come every few seconds and say nothing while all is well. */
function levelOf(status: number, request: FastifyRequest): 'debug' | 'info' | 'warn' {
  if (status >= 500) return 'warn';
  return PROBE.test(pathOf(request)) ? 'debug' : 'info';
}
