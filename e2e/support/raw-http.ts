import { connect } from 'node:net';

/** Sends bytes as they are and gives back everything the server said until it closed, or until `timeoutMs`. */
export function sendRaw(url: string, bytes: string | Buffer, timeoutMs = 5_000): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const done = (): void => {
      socket.destroy();
      resolve(Buffer.concat(pieces).toString('latin1'));
    };
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(timeoutMs, done);
    socket.on('data', (piece) => pieces.push(piece));
    socket.once('error', done).once('close', done);
  });
}

/** The status of a raw answer, or 0 when there was none. */
export function statusOf(raw: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(raw)?.[1] ?? 0);
}
