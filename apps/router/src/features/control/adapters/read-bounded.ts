import { CoordinatorError } from '../coordinator-client.port.js';

/** Largest answer taken from a coordinator, in bytes: about 200,000 keys. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** Reads a body as text. @throws CoordinatorError `unreadable` when it is too large */
export async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > ANSWER_BYTES_MAX) throw new CoordinatorError('unreadable', 'the answer is larger than 64 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
