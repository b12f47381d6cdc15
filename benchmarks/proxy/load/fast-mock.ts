/**
 * The replica behind every proxy: answers any POST with the same 279 bytes of JSON, straight from the socket, so that
 * it costs less than any proxy under test. GET answers the model list.
 */
import { createServer, type Socket } from 'node:net';

import { MOCK_ANSWER, SERVED_MODEL } from '../scenario.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const ANSWER = httpAnswer(MOCK_ANSWER);
const MODELS = httpAnswer(JSON.stringify({ object: 'list', data: [{ id: SERVED_MODEL, object: 'model' }] }));

function httpAnswer(body: string): Buffer {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}

/** Bytes of the first request in `data`, or 0 while it is incomplete. */
function requestLength(data: Buffer): number {
  const headEnd = data.indexOf(HEAD_END);
  if (headEnd < 0) return 0;
  const head = data.toString('latin1', 0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? '0';
  const total = headEnd + HEAD_END.length + Number(length);
  return data.length >= total ? total : 0;
}

function serve(socket: Socket): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let length = requestLength(pending); length > 0; length = requestLength(pending)) {
      socket.write(pending[0] === 0x47 ? MODELS : ANSWER);
      pending = pending.subarray(length);
    }
  });
}

createServer(serve).listen(Number(process.argv[2]), '127.0.0.1', 4_096, () =>
  process.stdout.write('ready\n'),
);
