import { Body, Controller, Delete, Get, Module, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { createLogger, createMetrics, type Logger, type Metrics } from '@penstock/observability';
import { AppError, WireError } from '@penstock/protocol';
import { z } from 'zod';

import { createHttpService } from '../http/create-http-service.js';
import type { HttpServiceOptions } from '../http/http-service-options.js';
import { ZodBody, ZodParams, ZodQuery } from '../validation/zod-pipes.js';

const thingSchema = z.object({
  name: z.string().min(1),
  replicas: z.array(z.object({ port: z.number().int() })).default([]),
});
const idSchema = z.object({ id: z.uuid() });
const pageSchema = z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) });

@Controller()
class ThingsController {
  @Put('/things')
  put(@Body(ZodBody(thingSchema)) body: unknown): unknown {
    return body;
  }

  @Post('/things')
  create(@Body(ZodBody(z.strictObject(thingSchema.shape))) body: unknown): unknown {
    return body;
  }

  @Get('/things')
  list(@Query(ZodQuery(pageSchema)) query: unknown): unknown {
    return query;
  }

  @Get('/things/:id')
  one(@Param(ZodParams(idSchema)) params: unknown): unknown {
    return params;
  }

  @Patch('/things/:id')
  beat(@Body() body: unknown): unknown {
    return { method: 'PATCH', body: body ?? null };
  }

  @Delete('/things/:id')
  remove(@Body() body: unknown): unknown {
    return { method: 'DELETE', body: body ?? null };
  }

  @Get('/keys/:token/open')
  open(): unknown {
    return {};
  }

  @Get('/fail/:how')
  fail(@Param('how') how: string): never {
    if (how === 'app') throw new AppError('resource.conflict', 'Taken.', { details: { hidden: 'detail' } });
    if (how === 'busy') throw new AppError('database.unavailable', 'Later.', { retryAfterSeconds: 3 });
    if (how === 'wire') throw WireError.objectNotFound('worker');
    if (how === 'driver') throw Object.assign(new Error('driver broke'), { code: 'DRIVER' });
    throw new Error('a bug with a secret inside');
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

export interface ScriptedService {
  readonly url: string;
  readonly port: number;
  readonly logs: Record<string, unknown>[];
  readonly metrics: Metrics;
  readonly logger: Logger;
  call(path: string, init?: RequestInit): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** A real service on a free port with a few routes that show every kind of answer. */
export async function startScriptedService(options: Partial<HttpServiceOptions>): Promise<ScriptedService> {
  const logs: Record<string, unknown>[] = [];
  const logger = createLogger({
    service: 'scripted',
    level: 'debug',
    destination: { write: (line) => logs.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const metrics = createMetrics({ service: 'scripted', processMetrics: false });
  const app = await createHttpService(ThingsModule, { logger, metrics, errors: 'problem', ...options });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const call = async (path: string, init?: RequestInit) => read(await fetch(url + path, init));
  return { url, port, logs, metrics, logger, call, close: () => app.close() };
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}
