import { copyFileSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const CHECK_INTERVAL_MS = 5_000;
/** With one older generation kept, a service's logs take at most about twice this. */
export const LOG_BYTES_MAX = 32 * 1024 * 1024;

/** Keeps log files bounded until stopped. @returns the function that stops it. */
export function keepLogsBounded(logsDir: string): () => void {
  const timer = setInterval(() => rotateLogs(logsDir, LOG_BYTES_MAX), CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Moves the content of large logs to `<name>.log.1`. The services hold their files open for appending,
 * so a file is copied and emptied, not renamed; a line written in between can be lost.
 */
export function rotateLogs(logsDir: string, bytesMax: number): void {
  for (const name of readdirSync(logsDir).filter((file) => file.endsWith('.log'))) {
    const file = join(logsDir, name);
    if (statSync(file).size <= bytesMax) continue;
    copyFileSync(file, `${file}.1`);
    truncateSync(file);
  }
}
