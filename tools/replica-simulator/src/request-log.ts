import type { IncomingMessage } from 'node:http';

/** The oldest entries go first, so a long load test does not eat memory. */
const MAX_ENTRIES = 10_000;
const MAX_BODY_CHARS = 4_096;

/** What one request looked like from the replica. Times are epoch milliseconds of this machine. */
export interface SeenRequest {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly received_at_ms: number;
  model: string | null;
  stream: boolean;
  /** Body text when it is short, else null. */
  body: string | null;
  body_bytes: number;
  status: number | null;
  fault: string | null;
  events_sent: number;
  first_byte_at_ms: number | null;
  finished_at_ms: number | null;
  /** When the socket went away before the answer was complete; null otherwise. */
  socket_closed_at_ms: number | null;
  aborted: boolean;
}

/** Credentials are not a replica's business: only their presence is kept. */
const HIDDEN_HEADERS = new Set(['authorization', 'x-api-key', 'cookie', 'proxy-authorization']);

export class RequestLog {
  #entries: SeenRequest[] = [];
  #nextId = 1;

  open(request: IncomingMessage, now: number): SeenRequest {
    const entry: SeenRequest = {
      id: this.#nextId++,
      method: request.method ?? '',
      path: request.url ?? '',
      headers: visibleHeaders(request.headers),
      received_at_ms: now,
      model: null,
      stream: false,
      body: null,
      body_bytes: 0,
      status: null,
      fault: null,
      events_sent: 0,
      first_byte_at_ms: null,
      finished_at_ms: null,
      socket_closed_at_ms: null,
      aborted: false,
    };
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES * 2) this.#entries = this.#entries.slice(-MAX_ENTRIES);
    return entry;
  }

  all(): readonly SeenRequest[] {
    return this.#entries.slice(-MAX_ENTRIES);
  }

  clear(): void {
    this.#entries = [];
  }
}

export function noteBody(entry: SeenRequest, body: Buffer): void {
  entry.body_bytes = body.length;
  if (body.length <= MAX_BODY_CHARS) entry.body = body.toString('utf8');
}

function visibleHeaders(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      HIDDEN_HEADERS.has(name) ? 'present' : [value ?? []].flat().join(', '),
    ]),
  );
}
