import type { SeenRequest } from './request-log.js';

/** Counters since the start or the last reset. */
export class ReplicaStats {
  requests = 0;
  active = 0;
  completed = 0;
  abortedSockets = 0;
  promptTokens = 0;
  generationTokens = 0;
  readonly finished = new Map<string, number>([
    ['stop', 0],
    ['length', 0],
    ['abort', 0],
  ]);
  readonly byPath = new Map<string, number>();

  begin(entry: SeenRequest): void {
    this.requests += 1;
    this.active += 1;
    const path = entry.path.split('?')[0] ?? '';
    if (this.byPath.size < 100 || this.byPath.has(path))
      this.byPath.set(path, (this.byPath.get(path) ?? 0) + 1);
  }

  end(entry: SeenRequest): void {
    this.active -= 1;
    if (entry.aborted) {
      this.abortedSockets += 1;
      this.countFinish('abort');
    } else if (entry.finished_at_ms !== null) this.completed += 1;
  }

  countFinish(reason: string): void {
    this.finished.set(reason, (this.finished.get(reason) ?? 0) + 1);
  }

  reset(): void {
    this.requests = 0;
    this.completed = 0;
    this.abortedSockets = 0;
    this.byPath.clear();
  }
}
