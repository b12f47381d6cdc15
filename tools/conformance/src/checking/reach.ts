import { connect } from 'node:net';

const TIMEOUT_MS = 5_000;

/**
 * Finds out whether anything listens at an address, before a whole suite fails for want of it.
 * @throws Error in one sentence when it is no `http:` address, or nobody accepts a connection within 5 s.
 */
export async function reach(address: string): Promise<void> {
  const url = URL.parse(address);
  if (url?.protocol !== 'http:') throw new Error(`${address} is no http:// address`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!(await accepts(host, Number(url.port || 80)))) throw new Error(`${url.host} cannot be reached`);
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (accepted: boolean) => () => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', end(true)).once('timeout', end(false)).on('error', end(false));
  });
}
