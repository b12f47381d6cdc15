import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, createMetrics } from '@penstock/observability';

import { coordinatorConfigSchema } from '../../src/config/coordinator.config.js';
import { createCoordinator } from '../../src/create-coordinator.js';
import type { Answer, AnswerBody } from './answer.js';

export const API_SECRET = 'test-api-secret';

export interface CoordinatorSettings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** Takes log lines, at a level that `overrides` may set. Default: nothing is logged. */
  readonly log?: { write(line: string): void };
}

export interface Call {
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A coordinator in this process, spoken to over real HTTP. */
export class CoordinatorInstance {
  private constructor(
    private readonly app: NestFastifyApplication,
    readonly url: string,
  ) {}

  static async start({
    databaseUrl,
    redisUrl,
    overrides,
    log,
  }: CoordinatorSettings): Promise<CoordinatorInstance> {
    const config = coordinatorConfigSchema.parse({
      port: 0,
      database_url: databaseUrl,
      redis_url: redisUrl,
      api_secret: API_SECRET,
      ack_timeout_ms: 1_500,
      log_level: log ? 'info' : 'silent',
      ...overrides,
    });
    const logger = createLogger({
      service: 'coordinator',
      level: config.log_level,
      ...(log && { destination: log }),
    });
    const metrics = createMetrics({ service: 'coordinator', processMetrics: false });
    const app = await createCoordinator({ config, logger, metrics });
    await app.listen(0, config.host);
    return new CoordinatorInstance(app, await app.getUrl());
  }

  /** With the secret, unless headers are given. */
  async call(method: string, path: string, { body, rawBody, headers }: Call = {}): Promise<Answer> {
    const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const sent = new Headers(payload === undefined ? {} : { 'content-type': 'application/json' });
    for (const [name, value] of Object.entries(headers ?? { 'x-backendai-token': API_SECRET }))
      sent.set(name, value);
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: sent,
      ...(payload !== undefined && { body: payload }),
      redirect: 'manual',
      signal: AbortSignal.timeout(25_000),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) as AnswerBody };
  }

  stop(): Promise<void> {
    return this.app.close();
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
