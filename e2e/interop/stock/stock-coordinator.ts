import { choosePort } from '../support/ports.ts';
import { LOOPBACK } from '../support/secrets.ts';
import { address, processTable, sharedTables, type StockSetup } from './common-tables.ts';
import { createStockSchema } from './schema.ts';
import { startStock, untilAnswers, type StockProcess } from './start-process.ts';

export interface StockCoordinator extends StockProcess {
  readonly url: string;
}

export interface StockCoordinatorOptions extends StockSetup {
  /** An empty database. */
  readonly databaseUrl: string;
  readonly heartbeatTimeoutS?: number;
}

/** Makes the schema, starts the real coordinator and waits until it answers. */
export async function startStockCoordinator(options: StockCoordinatorOptions): Promise<StockCoordinator> {
  await createStockSchema(options, options.databaseUrl);
  const port = await choosePort();
  const running = await startStock(options, 'app-proxy-coordinator', {
    db: databaseTable(options.databaseUrl),
    proxy_coordinator: {
      ...(await processTable(options)),
      bind_addr: address(port),
      advertised_addr: address(port),
      announce_addr: address(port),
      allow_unauthorized_configure_request: false,
      enable_traefik: false,
      worker_heartbeat_timeout: options.heartbeatTimeoutS ?? 30,
      unused_circuit_collection_timeout: 3_600,
    },
    ...sharedTables(options),
  });
  const url = `http://${LOOPBACK}:${port}`;
  await untilAnswers(options, running, url);
  return { ...running, url };
}

function databaseTable(url: string) {
  const { hostname, port, pathname, username, password } = new URL(url);
  return {
    type: 'postgresql',
    addr: { host: hostname, port: Number(port) },
    name: pathname.slice(1),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    pool_size: 4,
    max_overflow: 16,
  };
}
