import { once } from 'node:events';
import { connect, type Server } from 'node:net';
import { Readable } from 'node:stream';

import { Controller, Get, Inject, Module, StreamableFile } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { createLogger, createMetrics } from '@penstock/observability';

import { createHttpService } from './create-http-service.js';

/** Lets a test see a request arrive and decide when it ends. */
class Gate {
  private arrive: () => void = () => undefined;
  private open: () => void = () => undefined;
  readonly arrived = new Promise<void>((resolve) => (this.arrive = resolve));
  private readonly opened = new Promise<void>((resolve) => (this.open = resolve));

  async pass(): Promise<void> {
    this.arrive();
    await this.opened;
  }

  release(): void {
    this.open();
  }
}

const DRAIN_TIMEOUT_MS = 200;
function* zeros(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536);
}

@Controller()
class SlowController {
  constructor(@Inject('GATE') private readonly gate: Gate) {}

  @Get('/endless')
  endless(): StreamableFile {
    return new StreamableFile(Readable.from(zeros()));
  }

  @Get('/slow')
  async slow(): Promise<object> {
    await this.gate.pass();
    return { done: true };
  }
}

async function startSlowService(gate: Gate) {
  @Module({ controllers: [SlowController], providers: [{ provide: 'GATE', useValue: gate }] })
  class SlowModule {}

  const logger = createLogger({ service: 'slow', level: 'silent' });
  const metrics = createMetrics({ service: 'slow', processMetrics: false });
  const app = await createHttpService(SlowModule, {
    logger,
    metrics,
    errors: 'problem',
    drainTimeoutMs: DRAIN_TIMEOUT_MS,
  });
  await app.listen(0, '127.0.0.1');
  return { app, port: (app.getHttpServer().address() as { port: number }).port };
}

describe('closing a service', () => {
  it('lets a running request finish and tells its connection to close', async () => {
    const gate = new Gate();
    const { app, port } = await startSlowService(gate);
    const answer = fetch(`http://127.0.0.1:${port}/slow`);
    await gate.arrived;
    const closed = app.close();
    gate.release();
    const response = await answer;
    expect(await response.json()).toEqual({ done: true });
    await closed;
  });

  it('does not wait for idle kept-alive connections', async () => {
    const { app, port } = await startSlowService(new Gate());
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /nope HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
    const ended = once(socket, 'close');
    await app.close();
    await ended;
  });

  it.each([
    ['does not read its answer', 'GET /endless HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['stops in the middle of its request', 'GET /slow HTTP/1.1\r\n'],
  ])('waits no longer than the drain time-out for a client that %s', async (_what, request) => {
    const { app, port } = await startSlowService(new Gate());
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const accepted = once(app.getHttpServer() as Server, 'connection');
    socket.write(request);
    if (request.startsWith('GET /endless')) await once(socket, 'readable');
    await accepted;
    await app.close();
    socket.destroy();
  });
});
