import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { assertPortFree } from './assert-port-free.js';
import { freePort, freePortBlock, isPortFree } from './free-port.js';

describe('ports', () => {
  it('finds neighbours that are all free', async () => {
    const first = await freePortBlock(3);
    for (const port of [first, first + 1, first + 2]) expect(await isPortFree(port)).toBe(true);
  });

  it('names the taken port and the flag that moves the service', async () => {
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await expect(assertPortFree(port, 'Redis', '--redis-port')).rejects.toThrow(
      `Port ${port} for Redis is taken: stop what listens there or choose another port with --redis-port.`,
    );
    server.close();
  });
});
