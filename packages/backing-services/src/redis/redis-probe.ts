import { connect } from 'node:net';

const PROBE_TIMEOUT_MS = 2_000;

/** True when the server takes the password and answers PING; false while it still loads its data. */
export function answersPing(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let received = '';
    const finish = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.once('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (received.includes('+PONG')) finish(true);
      else if (received.includes('\n-')) finish(false);
    });
  });
}
