import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { reach } from './reach.js';

const server = createServer((socket) => socket.destroy());

function listen(): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

afterEach(() => void server.close());

describe('reach', () => {
  it('is content with anything that accepts a connection', async () => {
    await expect(reach(`http://127.0.0.1:${await listen()}`)).resolves.toBeUndefined();
  });

  it('names the address where nobody listens', async () => {
    const port = await listen();
    await new Promise((resolve) => server.close(resolve));
    await expect(reach(`http://127.0.0.1:${port}/`)).rejects.toThrow(`127.0.0.1:${port} cannot be reached`);
  });

  it.each(['nonsense', 'https://127.0.0.1', 'localhost:10200'])('refuses %s', async (address) => {
    await expect(reach(address)).rejects.toThrow(`${address} is no http:// address`);
  });
});
