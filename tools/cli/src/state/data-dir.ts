import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Unix socket's path must fit into this many bytes on every system. */
const SOCKET_PATH_BYTES_MAX = 100;

/** Names of everything under a stack's data directory. */
export class DataDir {
  readonly stateFile: string;
  readonly credentialsFile: string;
  readonly lockFile: string;
  readonly configDir: string;
  readonly logsDir: string;
  readonly controlSocket: string;

  constructor(readonly path: string) {
    this.stateFile = join(path, 'state.json');
    this.credentialsFile = join(path, 'credentials.json');
    this.lockFile = join(path, 'supervisor.lock');
    this.configDir = join(path, 'config');
    this.logsDir = join(path, 'logs');
    this.controlSocket = controlSocketOf(path);
  }

  logFile(service: string): string {
    return join(this.logsDir, `${service}.log`);
  }

  /** Others may pass through (the database runs as another account when this runs as root) but not look around. */
  create(): void {
    mkdirSync(this.path, { recursive: true });
    for (const dir of [this.configDir, this.logsDir]) {
      mkdirSync(dir, { recursive: true });
      chmodSync(dir, 0o700);
    }
  }
}

function controlSocketOf(path: string): string {
  const inside = join(path, 'control.sock');
  if (Buffer.byteLength(inside) <= SOCKET_PATH_BYTES_MAX) return inside;
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return join(tmpdir(), `penstock-${process.getuid?.() ?? 0}-${digest}.sock`);
}
