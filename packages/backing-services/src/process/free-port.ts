import { createServer, type Server } from 'node:net';

const PROBE_HOST = '127.0.0.1';
const BLOCK_ATTEMPTS = 50;

/** True when nothing listens on the port of the loopback address. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = await listen(port).catch(() => null);
  if (server) await close(server);
  return server !== null;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  return freePortBlock(1);
}

/** The first of `size` neighbouring ports that were free a moment ago. */
export async function freePortBlock(size: number): Promise<number> {
  for (let attempt = 0; attempt < BLOCK_ATTEMPTS; attempt += 1) {
    const held = [await listen(0)];
    const first = portOf(held[0]);
    const rest = await Promise.allSettled(range(first + 1, size - 1).map(listen));
    for (const result of rest) if (result.status === 'fulfilled') held.push(result.value);
    await Promise.all(held.map(close));
    if (held.length === size) return first;
  }
  throw new Error(`No ${size} neighbouring ports are free on this machine.`);
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  if (address === null || address === undefined || typeof address === 'string') {
    throw new Error('The probe socket has no port.');
  }
  return address.port;
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: PROBE_HOST, exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
