import type { AppProxyEvent } from '@penstock/protocol';

/** An event of our authority as the bus delivered it. */
export interface ReceivedEvent {
  readonly event: AppProxyEvent;
  /** Trace context of the change, handed on with the acknowledgement. */
  readonly traceparent?: string | undefined;
}

/** Events that wait for a pull. More are forgotten, oldest first: their changes are pulled all the same, unacknowledged. */
const HINTS_MAX = 10_000;

/** The events that the next pull will answer. Each is kept, since each may have a waiter of its own. */
export class PendingHints {
  private waiting: ReceivedEvent[] = [];

  add(received: ReceivedEvent): void {
    this.waiting.push(received);
    if (this.waiting.length > HINTS_MAX) this.waiting.shift();
  }

  /** Hands over all that wait: what a pull that starts now will answer. */
  takeAll(): readonly ReceivedEvent[] {
    const taken = this.waiting;
    this.waiting = [];
    return taken;
  }
}
