import { CoordinatorError } from './coordinator-client.port.js';

/** How the link to the coordinator is doing; for `/status`, metrics and the delay before the next attempt. */
export class CoordinatorLink {
  /** Null while not registered. */
  workerId: string | null = null;
  lastPullAtMs: number | null = null;
  lastError: { readonly atMs: number; readonly message: string } | null = null;

  constructor(private readonly now: () => number) {}

  failed(message: string): void {
    this.lastError = { atMs: this.now(), message };
  }

  pulled(): void {
    this.lastPullAtMs = this.now();
    this.lastError = null;
  }
}

/** True when repeating soon cannot help. */
export function isRefused(error: unknown): boolean {
  return error instanceof CoordinatorError && error.kind === 'refused';
}

/** True when the coordinator no longer knows this worker. */
export function isGone(error: unknown): boolean {
  return error instanceof CoordinatorError && error.kind === 'gone';
}
