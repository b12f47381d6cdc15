import type { IncomingMessage } from 'node:http';
import type { TimerWheel } from '../../proxy/index.js';

/** How long a client may go on sending a body nobody waits for before its connection is closed under it. */
const LINGER_MS = 2_000;

/** The answer is out before the body has come. What comes of it soon is thrown away, and the connection kept. */
export function discardRest(request: IncomingMessage, timers: TimerWheel): void {
  const { socket } = request;
  if (socket.destroyed) return;
  const timer = timers.create(() => socket.destroy());
  timer.arm(LINGER_MS);
  const cancel = () => timer.cancel();
  socket.once('close', cancel);
  request.once('end', () => {
    cancel();
    socket.off('close', cancel);
  });
  request.resume();
}
