import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type ControlReply, type ControlRequest, controlRequestSchema } from './control-protocol.js';

export type ControlHandler = (request: ControlRequest, progress: (line: string) => void) => Promise<void>;

/** Listens for later commands on a Unix socket that only the same user can open. */
export async function listenForControl(path: string, handle: ControlHandler): Promise<Server> {
  rmSync(path, { force: true });
  const server = createServer((socket) => void serve(socket, handle));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return server;
}

async function serve(socket: Socket, handle: ControlHandler): Promise<void> {
  socket.on('error', () => socket.destroy());
  const reply = (message: ControlReply): void => {
    if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  };
  for await (const line of createInterface({ input: socket })) {
    try {
      const request = controlRequestSchema.parse(JSON.parse(line));
      await handle(request, (text) => reply({ kind: 'progress', line: text }));
      reply({ kind: 'done' });
    } catch (error) {
      reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
    break;
  }
  socket.end();
}
