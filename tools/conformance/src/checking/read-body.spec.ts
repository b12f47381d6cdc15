import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readBody } from './read-body.js';

describe('readBody', () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer((asked, response) => {
      // Without an end when it is asked for that.
      const send = (): void => {
        if (response.destroyed) return;
        response.write('x'.repeat(1_000), () => asked.url === '/endless' && setImmediate(send));
        if (asked.url !== '/endless') response.end();
      };
      send();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function ask(path: string): Promise<IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const asked = request({ port, path, host: '127.0.0.1' }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return answer;
  }

  it('reads a body to its end', async () => {
    expect(await readBody(await ask('/'))).toHaveLength(1_000);
  });

  it('ends the connection of a peer that sends without an end', async () => {
    const answer = await ask('/endless');
    await expect(readBody(answer, 100_000)).rejects.toThrow('longer than 100000 bytes');
    // A message whose reader stops is closed, and its connection with it.
    await once(answer.socket, 'close');
  });
});
