import type { IncomingMessage } from 'node:http';

/** Far more than any check sends or asks for; a peer that sends more is not read to its end. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** The whole body of a message. @throws Error when it breaks off, or is longer than any proper one. */
export async function readBody(message: IncomingMessage, maxBytes = BODY_BYTES_MAX): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop ends the connection.
    if (size > maxBytes) throw new Error(`the body is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
