import { EventEmitter, once } from 'node:events';

import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@penstock/observability';

import { type ProcessSurface, runService, type RunServiceOptions } from './run-service.js';

class FakeProcess extends EventEmitter implements ProcessSurface {
  readonly codes: number[] = [];

  exit(code: number): void {
    this.codes.push(code);
    super.emit('exited');
  }
}

function start(options: Partial<RunServiceOptions>): {
  host: FakeProcess;
  lines: Record<string, unknown>[];
  running: Promise<void>;
} {
  const host = new FakeProcess();
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ service: 'test', level: 'info', destination: { write } });
  const nothing = () => Promise.resolve();
  return { host, lines, running: runService({ start: nothing, stop: nothing, logger, ...options }, host) };
}

describe('runService', () => {
  it.each(['SIGTERM', 'SIGINT'])('stops and exits 0 on %s', async (signal) => {
    const stops: string[] = [];
    const { host, running } = start({ stop: () => Promise.resolve(void stops.push('stop')) });
    await running;
    const exited = once(host, 'exited');
    host.emit(signal);
    await exited;
    expect([stops, host.codes]).toEqual([['stop'], [0]]);
  });

  it('exits 1 when stopping takes longer than allowed', async () => {
    const { host, running } = start({ stop: () => new Promise(() => undefined), shutdownTimeoutMs: 10 });
    await running;
    const exited = once(host, 'exited');
    host.emit('SIGTERM');
    await exited;
    expect(host.codes).toEqual([1]);
  });

  it('exits 1 at once on a second signal', async () => {
    const { host, running } = start({ stop: () => new Promise(() => undefined), shutdownTimeoutMs: 1_000 });
    await running;
    host.emit('SIGTERM');
    host.emit('SIGINT');
    expect(host.codes).toEqual([1]);
  });

  it.each(['uncaughtException', 'unhandledRejection'])('logs, stops and exits 1 on %s', async (event) => {
    const { host, lines, running } = start({});
    await running;
    const exited = once(host, 'exited');
    host.emit(event, new Error('a bug'));
    await exited;
    expect(host.codes).toEqual([1]);
    expect(lines[0]).toMatchObject({ level: 'fatal', err: { message: 'a bug' } });
  });

  it('cleans up and exits 1 when the start fails', async () => {
    const stops: string[] = [];
    const { host, lines, running } = start({
      start: () => Promise.reject(new Error('no database')),
      stop: () => Promise.resolve(void stops.push('stop')),
    });
    await running;
    expect([stops, host.codes]).toEqual([['stop'], [1]]);
    expect(lines[0]).toMatchObject({ level: 'fatal', msg: 'the service could not start' });
  });

  it('says which port is taken and what to do about it', async () => {
    const taken = Object.assign(new Error(), { code: 'EADDRINUSE', address: '127.0.0.1', port: 10_300 });
    const { lines, running } = start({ start: () => Promise.reject(taken) });
    await running;
    expect(lines[0]?.reason).toBe(
      '127.0.0.1 port 10300 is already in use: stop what listens there, or change the port in the configuration.',
    );
  });
});
