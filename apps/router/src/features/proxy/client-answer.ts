import type { AppError } from '@penstock/protocol';
import type { Outcome, RequestRecord } from '../usage/index.js';
import type { ClientSink } from './client-sink.port.js';
import { openAiErrorEvent } from './domain/openai-error.js';

/**
 * The answer as far as the client has it. Its head is held back until there is a first body byte to send with it;
 * until a byte of content has gone out the answer may still come from another replica.
 */
export class ClientAnswer {
  /** Status that went out; null while the head is held. */
  status: number | null = null;
  /** True once content, more than a keep-alive comment, has gone out: the point of no return. */
  contentSent = false;

  constructor(
    private readonly client: ClientSink,
    private readonly record: RequestRecord,
    private readonly now: () => number,
  ) {}

  get committed(): boolean {
    return this.status !== null;
  }

  commit(status: number, headers: readonly string[]): void {
    // In this order: a head the front refuses to send has not been sent.
    this.client.head(status, headers);
    this.status = status;
  }

  /** @returns false when the client should catch up first */
  write(bytes: Buffer): boolean {
    this.count(bytes);
    return this.client.write(bytes);
  }

  end(bytes?: Buffer): void {
    if (bytes !== undefined) this.count(bytes);
    this.client.end(bytes);
  }

  destroy(): void {
    this.client.destroy();
  }

  /**
   * Ends an answer that has begun so that it cannot be taken for a whole one: with an event where one can follow what
   * went out, else by cutting the connection.
   * @returns how the request ended; null when nothing has gone out, so that the client can still be refused
   */
  breakOff(error: AppError, takesEvents: boolean): Outcome | null {
    const { status } = this;
    if (status === null) return null;
    if (this.contentSent && !takesEvents) this.destroy();
    else this.end(openAiErrorEvent(error));
    const { code, entry, cause } = error;
    return { kind: 'cut', status, errorCode: code, fault: entry.fault, cause };
  }

  private count(bytes: Buffer): void {
    this.record.firstByteMs ??= this.now() - this.record.startedMs;
    this.record.answerBytes += bytes.length;
  }
}
