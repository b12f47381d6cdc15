import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TimerWheel } from '../../proxy/index.js';
import type { StandaloneAnswer } from '../front.port.js';

/** How long a client may go on sending before its connection is closed under it. */
const LINGER_MS = 1_000;

/** Answers on a connection that HTTP has lost hold of, and closes it once the client had a moment to read. */
export function answerRaw(socket: Duplex, answer: StandaloneAnswer, timers: TimerWheel): void {
  const { status, headers, body } = answer;
  const length = String(Buffer.byteLength(body));
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  const all = [...headers, 'content-length', length, 'connection', 'close'];
  for (let index = 0; index + 1 < all.length; index += 2) lines.push(`${all[index]}: ${all[index + 1]}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  socket.resume();
  const timer = timers.create(() => socket.destroy());
  timer.arm(LINGER_MS);
  socket.once('close', () => timer.cancel());
}
