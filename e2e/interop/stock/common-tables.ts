import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { choosePort } from '../support/ports.ts';
import { LOOPBACK, type Secrets } from '../support/secrets.ts';
import type { TomlTables, TomlValue } from './toml.ts';

/** One process of the real packages: its name in files, its folder, and the services it uses. */
export interface StockSetup {
  readonly name: string;
  readonly dir: string;
  readonly redisUrl: string;
  readonly secrets: Secrets;
}

export const address = (port: number): TomlValue => ({ host: LOOPBACK, port });

/** What the main table of a coordinator and of a worker have in common. */
export async function processTable({ name, dir }: StockSetup): Promise<Record<string, TomlValue>> {
  const ipc = join(dir, name);
  mkdirSync(ipc, { recursive: true });
  return {
    ipc_base_path: ipc,
    pid_file: join(ipc, 'pid'),
    id: `i-${name}`,
    user: process.geteuid?.() ?? 0,
    group: process.getegid?.() ?? 0,
    tls_listen: false,
    tls_advertised: false,
    event_loop: 'asyncio',
    // Debug consoles that cannot be switched off.
    aiomonitor_termui_port: await choosePort(),
    aiomonitor_webui_port: await choosePort(),
  };
}

/** The tables a coordinator and a worker share. */
export function sharedTables({ redisUrl, secrets }: StockSetup): TomlTables {
  return {
    redis: redisTable(redisUrl),
    secrets: { api_secret: secrets.api, jwt_secret: secrets.jwt },
    permit_hash: { secret: secrets.permit },
    logging: { level: 'INFO', drivers: ['console'] },
    'logging.pkg-ns': { '': 'WARNING', aiohttp: 'INFO', 'ai.backend': 'INFO' },
    'logging.console': { colored: false, format: 'verbose' },
    debug: { enabled: false, log_events: false },
  };
}

function redisTable(url: string): Record<string, TomlValue> {
  const { hostname, port, password } = new URL(url);
  const table = { addr: { host: hostname, port: Number(port) } };
  return password === '' ? table : { ...table, password: decodeURIComponent(password) };
}
