import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Progress } from '@penstock/backing-services';
import { UserError } from '../user-error.js';
import { controlReplySchema, type ControlRequest } from './control-protocol.js';

/** Sends one request to the supervisor of a stack and waits for its end. @throws UserError with the supervisor's words. */
export async function sendControl(path: string, request: ControlRequest, progress: Progress): Promise<void> {
  const socket = await open(path);
  socket.write(`${JSON.stringify(request)}\n`);
  try {
    for await (const line of createInterface({ input: socket })) {
      const reply = controlReplySchema.parse(JSON.parse(line));
      if (reply.kind === 'done') return;
      if (reply.kind === 'failed') throw new UserError(reply.message);
      progress(reply.line);
    }
  } finally {
    socket.destroy();
  }
  throw new UserError('The stack ended before it answered: see ./penstock status.');
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) =>
      reject(new UserError(`The stack's control socket ${path} does not answer: ${error.message}.`)),
    );
  });
}
