import type { IncomingMessage } from 'node:http';
import type { BodyReader } from '../front.port.js';

/**
 * Collects a body up to a limit. Nothing of it is kept here once it has been handed over or given up: the request it
 * came by lives as long as its answer, which may be a stream of half an hour.
 * @param reportsGrowth - whether the reader hears of every piece, as it must where no length was announced
 * @returns what ends the reading early; safe to call at any time
 */
export function readHeldBody(
  request: IncomingMessage,
  reportsGrowth: boolean,
  limitBytes: number,
  reader: BodyReader,
): () => void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const stop = () => {
    chunks = [];
    request.off('data', onData).off('end', onEnd);
  };
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limitBytes) {
      stop();
      return reader.tooLarge();
    }
    chunks.push(chunk);
    if (reportsGrowth) reader.grown(bytes);
  };
  const onEnd = () => {
    const [first] = chunks;
    const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, bytes);
    stop();
    reader.complete(body);
  };
  request.on('data', onData).on('end', onEnd);
  return stop;
}
