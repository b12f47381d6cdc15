import 'reflect-metadata';

import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { appproxyRenderer } from '../errors/appproxy-renderer.js';
import { classifyFailure } from '../errors/classify-failure.js';
import type { ErrorRenderer } from '../errors/error-renderer.port.js';
import { problemRenderer } from '../errors/problem-renderer.js';
import { RequestErrorFilter } from '../errors/request-error.filter.js';
import { NestLogger } from '../nest-logger.js';
import { newRequestId } from '../request-id.js';
import { installAccessLog } from './access-log.js';
import { installAppproxyHeaders } from './appproxy-headers.js';
import { installBodyParser } from './body-parser.js';
import { clientErrorHandler } from './client-errors.js';
import { limitDrain } from './drain-limit.js';
import type { HttpServiceOptions } from './http-service-options.js';
import { KnownRoutes } from './known-routes.js';
import { overrideMethod } from './method-override.js';
import { installProbes } from './probes.js';

type AppModule = Parameters<typeof NestFactory.create>[0] | Type;

const BODY_LIMIT_BYTES = 1024 * 1024;
const DRAIN_TIMEOUT_MS = 20_000;
const HEADERS_BYTES_MAX = 16 * 1024;

/**
 * A Nest application on Fastify with everything the control APIs share: error bodies, 404 and 405, body rules, request
 * ids, the access log and metrics. It is not listening yet: call `listen`, which also initialises it. `close` lets
 * running requests finish, up to the drain time-out.
 */
export async function createHttpService(
  module: AppModule,
  options: HttpServiceOptions,
): Promise<NestFastifyApplication> {
  const renderer = options.errors === 'appproxy' ? appproxyRenderer : problemRenderer;
  const routes = new KnownRoutes();
  const filter = new RequestErrorFilter({
    renderer,
    routes,
    logger: options.logger,
    mapError: options.mapError,
  });
  const adapter = createAdapter(options, renderer, filter);
  prepare(adapter.getInstance<FastifyInstance>(), options, routes);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLogger(options.logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(filter);
  return app;
}

function createAdapter(
  options: HttpServiceOptions,
  renderer: ErrorRenderer,
  filter: RequestErrorFilter,
): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: options.bodyLimitBytes ?? BODY_LIMIT_BYTES,
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 30_000,
    http: { maxHeaderSize: HEADERS_BYTES_MAX },
    // A model name is one path segment and may be long once percent-encoded.
    routerOptions: { maxParamLength: 2048 },
    genReqId: () => newRequestId(),
    // While draining, requests on open connections are still answered, with `connection: close`.
    return503OnClosing: false,
    clientErrorHandler: clientErrorHandler(renderer),
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      filter.answer(classifyFailure(error), request, reply),
    ...(options.errors === 'appproxy' && { exposeHeadRoutes: false, rewriteUrl: overrideMethod }),
  });
}

/** Hooks and routes of our own; they have to be there before Nest adds its routes. */
function prepare(instance: FastifyInstance, options: HttpServiceOptions, routes: KnownRoutes): void {
  routes.watch(instance);
  limitDrain(instance, options.drainTimeoutMs ?? DRAIN_TIMEOUT_MS);
  installAccessLog(instance, options.logger, options.metrics);
  if (options.errors === 'appproxy') installAppproxyHeaders(instance, routes);
  installBodyParser(instance, options.errors, options.bodyLimitBytes ?? BODY_LIMIT_BYTES);
  if (options.probes) installProbes(instance, options.probes, options.metrics);
}
