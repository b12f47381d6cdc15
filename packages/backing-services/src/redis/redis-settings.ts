import type { BackingServiceStart } from '../backing-service.port.js';

/** The whole redis.conf. The password is in it and not on the command line, where every user could read it. */
export function redisSettings(
  start: Pick<BackingServiceStart, 'port' | 'password' | 'durability'>,
  place: { bind: string; port: number; dir: string },
): string {
  const lines = [
    `bind ${place.bind}`,
    `port ${place.port}`,
    `dir ${quoted(place.dir)}`,
    `requirepass ${start.password}`,
    'protected-mode yes',
    'daemonize no',
    'maxmemory-policy noeviction',
    ...(start.durability === 'throwaway'
      ? ['save ""', 'appendonly no']
      : ['appendonly yes', 'appendfsync everysec']),
  ];
  return `${lines.join('\n')}\n`;
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
