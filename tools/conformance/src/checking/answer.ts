import type { IncomingMessage } from 'node:http';
import type { Json } from './json.js';

/** What came back for a request. */
export interface Answer {
  /** `METHOD /path`, for messages. */
  readonly request: string;
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The body, parsed; `undefined` when it is no JSON. */
  readonly json: Json | undefined;
}
