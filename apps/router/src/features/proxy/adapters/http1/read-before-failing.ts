import type { Socket } from 'node:net';

type Done = (error?: Error | null) => void;

/**
 * Lets a connection read what has come before a failed write closes it. A replica that refuses an upload has answered
 * and gone while pieces of it are still being written: its answer waits in the system, and closing would throw it away.
 */
export function readBeforeFailing(socket: Socket): void {
  const { _write, _writev } = Object.getPrototypeOf(socket) as Required<Pick<Socket, '_write' | '_writev'>>;
  socket._write = (chunk, encoding, done) => _write.call(socket, chunk, encoding, onceRead(done));
  socket._writev = (chunks, done) => _writev.call(socket, chunks, onceRead(done));
}

function onceRead(done: Done): Done {
  return (error) => {
    if (error == null) return done();
    // The first turn may be this one's end; before the second one the system has been asked for what is there to read.
    setImmediate(() => setImmediate(() => done(error)));
  };
}
