import type { BackingServiceStart } from '../backing-service.port.js';

/** The one account of the local server, its superuser. */
export const POSTGRES_USER = 'penstock';

const COMMON = [
  "listen_addresses = '127.0.0.1'",
  // No socket file: its path length is limited, and data directories can lie deep.
  "unix_socket_directories = ''",
  'max_connections = 200',
  'shared_buffers = 64MB',
  'password_encryption = scram-sha-256',
  "timezone = 'UTC'",
  "log_timezone = 'UTC'",
  "lc_messages = 'C'",
  'log_min_messages = warning',
];

// Losing test data in a power cut is fine; waiting for the disk after every statement is not.
const THROWAWAY = ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off', 'autovacuum = off'];

/** The whole postgresql.conf. */
export function postgresSettings(start: Pick<BackingServiceStart, 'port' | 'durability'>): string {
  const lines = [`port = ${start.port}`, ...COMMON, ...(start.durability === 'throwaway' ? THROWAWAY : [])];
  return `${lines.join('\n')}\n`;
}

/** Arguments of `initdb`: password login only, bytewise sorting, UTF-8. */
export function initdbArguments(target: string, passwordFile: string, throwaway: boolean): string[] {
  return [
    `--pgdata=${target}`,
    `--username=${POSTGRES_USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-locale',
    ...(throwaway ? ['--no-sync'] : []),
  ];
}
