import type { IncomingMessage } from 'node:http';

/** Collects a body up to `maxBytes`; the callback gets null when it is longer, and is never called after an abort. */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer | null) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  });
  request.on('end', () => done(size <= maxBytes ? Buffer.concat(chunks) : null));
}

/** The JSON value of a body, or `undefined` when it is no JSON. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
