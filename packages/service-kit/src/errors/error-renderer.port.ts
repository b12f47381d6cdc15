import type { Failure } from './failure.js';

export interface RenderContext {
  /** Path without the query: a query may hold a credential. */
  readonly path: string;
  readonly requestId: string;
}

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** For the log and for metrics. */
  readonly code: string;
}

/** Writes failures in the style of one API. */
export interface ErrorRenderer {
  render(failure: Failure, context: RenderContext): RenderedError;
}
