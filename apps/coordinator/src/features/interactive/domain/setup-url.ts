import { urlHost } from '../../../wire/url-host.js';

/** Where a worker's own API answers, as far as a browser is concerned. */
export interface WorkerApi {
  readonly hostname: string;
  readonly apiPort: number;
  readonly tlsListen: boolean;
  readonly tlsAdvertised: boolean;
}

/** The page of a worker that takes a signed hand-over and lets the user in. A default port is left out. */
export function setupUrl(worker: WorkerApi, token: string): string {
  const scheme = worker.tlsListen || worker.tlsAdvertised ? 'https' : 'http';
  const url = new URL(`${scheme}://${urlHost(worker.hostname)}:${worker.apiPort}/setup`);
  url.searchParams.set('token', token);
  return url.href;
}
