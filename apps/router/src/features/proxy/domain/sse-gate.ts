import { findBoundary } from './sse-boundary.js';

/** An event that has grown past this is let through unseen rather than held. */
const HELD_BYTES_MAX = 4 * 1024 * 1024;
/** So many pieces are joined: an event that comes byte by byte would else be held as millions of them. */
const HELD_PIECES_MAX = 256;

/** Looks at whole events and says what of them goes out. */
export interface EventFilter {
  /** @param events - one or more whole events, their blank lines included */
  apply(events: Buffer): Buffer | null;
}

/**
 * Cuts a byte stream at event boundaries, wherever the network cut it, so that what goes out is always whole events:
 * a filter can look at them, and a stream that breaks leaves the client no half event. Bytes are never re-encoded.
 */
export class SseGate {
  /** True after a piece of an event went out without its end. */
  midEvent = false;
  private held: Buffer[] = [];
  private joined: Buffer[] = [];
  private heldBytes = 0;
  private tail: Buffer = Buffer.alloc(0);

  constructor(private readonly filter: EventFilter) {}

  /** @returns the bytes to send now, or null while no event is complete */
  push(chunk: Buffer): Buffer | null {
    const boundary = findBoundary(this.tail, chunk);
    if (boundary === 0) return this.hold(chunk);
    this.midEvent = false;
    if (boundary === chunk.length && this.heldBytes === 0) return this.filter.apply(chunk);
    this.held.push(chunk.subarray(0, boundary));
    const events = this.takeHeld();
    if (boundary < chunk.length) this.hold(chunk.subarray(boundary));
    return this.filter.apply(events);
  }

  /** What is left when the replica ended the stream without a last blank line. */
  end(): Buffer | null {
    return this.heldBytes === 0 ? null : this.filter.apply(this.takeHeld());
  }

  private hold(chunk: Buffer): Buffer | null {
    this.held.push(chunk);
    this.heldBytes += chunk.length;
    if (this.held.length === HELD_PIECES_MAX) {
      this.joined.push(Buffer.concat(this.held));
      this.held = [];
    }
    this.tail = Buffer.concat([this.tail, chunk.subarray(-3)]).subarray(-3);
    if (this.heldBytes <= HELD_BYTES_MAX) return null;
    this.midEvent = true;
    return this.takeHeld();
  }

  private takeHeld(): Buffer {
    const pieces = this.joined.length === 0 ? this.held : [...this.joined, ...this.held];
    const [first] = pieces;
    const events = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
    this.held = [];
    this.joined = [];
    this.heldBytes = 0;
    this.tail = Buffer.alloc(0);
    return events;
  }
}
