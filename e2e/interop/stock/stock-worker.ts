import { choosePort } from '../support/ports.ts';
import { LOOPBACK } from '../support/secrets.ts';
import { address, processTable, sharedTables, type StockSetup } from './common-tables.ts';
import { startStock, untilAnswers, type StockProcess } from './start-process.ts';
import type { TomlValue } from './toml.ts';

/** Where a worker takes traffic. */
export type Frontend =
  | { readonly mode: 'port'; readonly firstPort: number; readonly lastPort: number }
  | { readonly mode: 'wildcard'; readonly domain: string; readonly port: number };

export interface StockWorkerOptions extends StockSetup {
  readonly coordinatorUrl: string;
  readonly authority: string;
  readonly frontend: Frontend;
  readonly protocol?: 'http' | 'tcp';
  readonly accepts?: readonly ('inference' | 'interactive')[];
}

export interface StockWorker extends StockProcess {
  readonly authority: string;
  readonly frontend: Frontend;
  readonly apiUrl: string;
  /** Resolves when it has registered and pulled its circuits; only then it opens its API. Rejects when refused. */
  readonly ready: Promise<void>;
}

/** Starts a real worker; `ready` says when it has registered. */
export async function startStockWorker(options: StockWorkerOptions): Promise<StockWorker> {
  const apiPort = await choosePort();
  const { authority, frontend } = options;
  const running = await startStock(options, 'app-proxy-worker', {
    proxy_worker: {
      ...(await processTable(options)),
      coordinator_endpoint: options.coordinatorUrl,
      verify_coordinator_ssl_certificate: false,
      authority,
      frontend_mode: frontend.mode,
      protocol: options.protocol ?? 'http',
      accepted_traffics: options.accepts ?? ['inference', 'interactive'],
      heartbeat_period: 0.5,
      api_bind_addr: address(apiPort),
      api_advertised_addr: address(apiPort),
      announce_addr: address(apiPort),
      trusted_proxies: [],
    },
    ...frontendTable(frontend),
    ...sharedTables(options),
  });
  const apiUrl = `http://${LOOPBACK}:${apiPort}`;
  const ready = untilAnswers(options, running, apiUrl);
  // Whoever starts several looks at them one after the other.
  ready.catch(() => undefined);
  return { ...running, authority, frontend, apiUrl, ready };
}

function frontendTable(frontend: Frontend): Record<string, Record<string, TomlValue>> {
  if (frontend.mode === 'port') {
    const bind_port_range = [frontend.firstPort, frontend.lastPort];
    const table = { bind_host: LOOPBACK, advertised_host: LOOPBACK, bind_port_range };
    return { 'proxy_worker.port_proxy': table };
  }
  const { domain, port } = frontend;
  return { 'proxy_worker.wildcard_domain': { bind_addr: address(port), domain, advertised_port: port } };
}
