import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:net';
import { freePort } from '@penstock/backing-services';
import type { PortNeed } from '../plan/port-needs.js';
import type { StackOptions } from '../plan/stack-options.js';
import { allocatePorts } from './allocate-ports.js';

function need(first: number, more: Partial<PortNeed> = {}): PortNeed {
  return {
    kind: 'redis',
    title: 'Redis',
    flag: '--redis-port',
    first,
    groups: 1,
    size: 1,
    stride: 1,
    ...more,
  };
}

function options(ports: 'fixed' | 'auto', chosenPorts: StackOptions['chosenPorts'] = {}): StackOptions {
  return { ports, chosenPorts } as StackOptions;
}

describe('allocatePorts', () => {
  let server: Server;
  let taken: number;
  beforeEach(async () => {
    taken = await freePort();
    server = createServer();
    await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('names every taken port with its flag', async () => {
    const manager = need(taken, { kind: 'manager', title: 'the manager', flag: '--manager-port' });
    const { problems } = await allocatePorts([need(taken), manager], options('fixed'), null);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain(`Port ${taken} for Redis is taken`);
    expect(problems[0]).toContain('--redis-port');
    expect(problems[1]).toContain('--manager-port');
  });

  it('notices two parts of the stack at one port', async () => {
    const port = await freePort();
    const { problems } = await allocatePorts(
      [need(port), need(port, { kind: 'manager' })],
      options('fixed'),
      null,
    );
    expect(problems).toEqual([expect.stringContaining('also used by another part of the stack')]);
  });

  it('refuses ports beyond the range', async () => {
    const { problems } = await allocatePorts([need(65_535, { groups: 2 })], options('fixed'), null);
    expect(problems).toEqual([expect.stringContaining('Port 65536 for Redis is out of range')]);
  });

  it('keeps an automatic port of the last start while it is free, and replaces a taken one', async () => {
    const free = await freePort();
    const kept = await allocatePorts([need(1)], options('auto'), { redis: [free] });
    expect(kept.ports.redis).toEqual([free]);
    const replaced = await allocatePorts([need(1)], options('auto'), { redis: [taken] });
    expect(replaced.ports.redis).not.toEqual([taken]);
    expect(replaced.problems).toEqual([]);
  });

  it('takes a chosen port even when the others are automatic', async () => {
    const { problems } = await allocatePorts([need(taken)], options('auto', { redis: taken }), null);
    expect(problems).toHaveLength(1);
  });
});
